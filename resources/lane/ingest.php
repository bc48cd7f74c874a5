<?php

// headroom:lane The collector's fast lane, without the application: docs/collector-lane.md of headroom/headroom.
// Written by `COMMAND`, and not to be changed by hand.

declare(strict_types=1);

use Headroom\Collector\Sapi\FrontController;

(static function (): void {
    // A client of the collector reads answers, never what PHP has to say: that is for the log.
    ini_set('display_errors', '0');
    ini_set('default_mimetype', '');

    $isAnswered = false;
    $refuse = static function (string $why) use (&$isAnswered): void {
        $isAnswered = true;
        error_log("headroom: {$why}");

        if (headers_sent()) {
            return;
        }

        // After a fatal error the status line is there already.
        header('HTTP/1.1 503 Service Unavailable', true, 503);
        header_remove('X-Powered-By');
        header('Content-Type: application/problem+json');
        header('Retry-After: 30');
        $body = '{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"The collector is not set up here; the log of the web server says how to mend it. Nothing of this was accepted.","code":"not_set_up","retryable":true,"retry_after":30}'."\n";
        header('Content-Length: '.strlen($body));
        echo($_SERVER['REQUEST_METHOD'] ?? '') === 'HEAD' ? '' : $body;
    };

    register_shutdown_function(static function () use (&$isAnswered, $refuse): void {
        if (! $isAnswered) {
            $refuse('a request of the fast lane ended before its answer: '.(error_get_last()['message'] ?? 'something called exit()'));
        }
    });

    try {
        $compiled = @include 'COMPILED';

        if (! is_array($compiled) || ($compiled['version'] ?? null) !== 0 /* VERSION */) {
            $refuse('the fast lane is not compiled, or by another version. Run: COMMAND');

            return;
        }

        spl_autoload_register(static function (string $class) use ($compiled): void {
            if (strncmp($class, 'Headroom\\', 9) === 0) {
                include "{$compiled['classes']}/".strtr(substr($class, 9), '\\', '/').'.php';
            } elseif (is_object($loader = include_once $compiled['vendor']) && method_exists($loader, 'loadClass')) {
                // What checks JSON Schemas; nothing else here comes from elsewhere.
                $loader->loadClass($class);
            }
        });

        FrontController::serve($compiled, $_SERVER, basename(__FILE__));
        $isAnswered = true;
    } catch (Throwable $e) {
        $refuse(sprintf('the fast lane failed: %s: %s (%s:%d). If the package was updated, run: %s', $e::class, $e->getMessage(), $e->getFile(), $e->getLine(), 'COMMAND'));
    }
})();
