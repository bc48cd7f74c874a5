<?php

declare(strict_types=1);

/**
 * Prepended to a measured command: at its end, writes its memory peaks in bytes to the file that BENCH_PEAK names.
 */
register_shutdown_function(static function (): void {
    preg_match('/^VmHWM:\s+(\d+) kB/m', (string) file_get_contents('/proc/self/status'), $m);
    file_put_contents(
        (string) getenv('BENCH_PEAK'),
        json_encode(['php' => memory_get_peak_usage(true), 'resident' => 1024 * (int) ($m[1] ?? 0)]),
    );
});
