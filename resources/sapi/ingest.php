<?php

// headroom:ingest The collector's front controller: docs/collector-front-controller.md of headroom/headroom.
// `COMMAND` writes this file. Do not edit it.

declare(strict_types=1);

use Headroom\Collector\Sapi\FrontController;

(static function (): void {
    // PHP's own messages belong in the log, never in a response.
    ini_set('display_errors', '0');
    ini_set('default_mimetype', '');

    $isAnswered = false;
    $refuse = static function (string $reason) use (&$isAnswered): void {
        $isAnswered = true;
        error_log("headroom: {$reason}");

        if (headers_sent()) {
            return;
        }

        // After a fatal error PHP has set the status line already.
        header('HTTP/1.1 503 Service Unavailable', true, 503);
        header_remove('X-Powered-By');
        header('Content-Type: application/problem+json');
        header('Retry-After: 30');
        $body = '{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"The collector is not set up here; the error log of the web server has the command that fixes it. No event was accepted.","code":"not_set_up","retryable":true,"retry_after":30}'."\n";
        header('Content-Length: '.strlen($body));
        echo($_SERVER['REQUEST_METHOD'] ?? '') === 'HEAD' ? '' : $body;
    };

    register_shutdown_function(static function () use (&$isAnswered, $refuse): void {
        if (! $isAnswered) {
            $refuse('a request ended before its response: '.(error_get_last()['message'] ?? 'the script called exit()'));
        }
    });

    try {
        $compiled = @include 'COMPILED';

        if (! is_array($compiled) || ($compiled['version'] ?? null) !== 0 /* VERSION */) {
            $refuse('the configuration of the front controller is missing, or another version compiled it. Run: COMMAND');

            return;
        }

        spl_autoload_register(static function (string $class) use ($compiled): void {
            if (strncmp($class, 'Headroom\\', 9) === 0) {
                include "{$compiled['classes']}/".strtr(substr($class, 9), '\\', '/').'.php';
            } elseif (is_object($loader = include_once $compiled['vendor']) && method_exists($loader, 'loadClass')) {
                // Only the validator of JSON Schemas comes from another package.
                $loader->loadClass($class);
            }
        });

        FrontController::serve($compiled, $_SERVER, basename(__FILE__));
        $isAnswered = true;
    } catch (Throwable $e) {
        $refuse(sprintf('the front controller failed: %s: %s (%s:%d). If the package was updated, run: %s', $e::class, $e->getMessage(), $e->getFile(), $e->getLine(), 'COMMAND'));
    }
})();
