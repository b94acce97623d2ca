;; Emacs as the client, set up with the words of docs/editors.md: open, see
;; the diagnostic, apply the action, undo. KIND is lsp or eglot.
;; -*- lexical-binding: t -*-
(require 'package)
(package-initialize)
(require 'cl-lib)
(require 'flymake)
(require 'flymake-cc)

(defun check (ok text)
  (unless ok
    (message "FAIL: %s: %s" (getenv "KIND") text)
    (kill-emacs 1)))

(defun wait-for (text test)
  (let ((end (+ (float-time) 20)))
    (while (and (< (float-time) end) (not (funcall test)))
      (accept-process-output nil 0.05))
    (check (funcall test) text)))

(defun text () (buffer-substring-no-properties (point-min) (point-max)))

(defun choose (title)
  "A stand-in for `completing-read' that takes TITLE."
  (lambda (_prompt collection &rest _)
    (or (cl-find title (all-completions "" collection) :test #'string=)
        (check nil (concat "no action " title)))))

(defun act (title)
  (goto-char (point-min))
  (search-forward "#pragma rf")
  (cl-letf (((symbol-function 'completing-read) (choose title))
            (last-nonmenu-event ?x)) ; the keyboard, no mouse
    (if (string= (getenv "KIND") "lsp")
        (call-interactively 'lsp-execute-code-action)
      (call-interactively 'eglot-code-actions))))

(defalias 'flymake-cc #'ignore) ; would run make
(setq lsp-auto-guess-root t lsp-enable-snippet nil
      lsp-diagnostics-provider :flymake)
(load (expand-file-name "mode.el") nil t)
(load (expand-file-name (concat (getenv "KIND") ".el")) nil t)
(find-file "a.cu")
(check (eq major-mode 'cuda-mode) "the mode")
(run-hooks 'post-command-hook) ; a batch has no command loop
(wait-for "no diagnostic" (lambda () (flymake-diagnostics)))
(let ((found (car (flymake-diagnostics))))
  (check (= (line-number-at-pos (flymake-diagnostic-beg found)) 3)
         "a wrong place")
  (check (string-match-p "cascade" (flymake-diagnostic-text found))
         "a wrong diagnostic"))
(let ((before (text)))
  (act "Fuse this")
  (wait-for "the edit is not applied" (lambda () (not (equal (text) before))))
  (check (string-match-p "#ifdef RF_REFERENCE" (text)) "no guard")
  (save-buffer)
  (undo-boundary)
  (undo)
  (check (equal (text) before) "undo is not one step"))
(kill-emacs 0)
