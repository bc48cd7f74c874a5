<?php

declare(strict_types=1);

namespace Headroom\Laravel\Preload;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Support\FileOperation;
use Headroom\Support\TerminalText;
use Throwable;

/**
 * Logs why a sample could not be written. At most once an hour, because every sampled request fails in the same way.
 *
 * @internal
 */
final readonly class SampleFailureLog
{
    private const SECONDS = 3_600;

    public function __construct(private string $message, private Clock $clock = new SystemClock) {}

    public function write(): void
    {
        try {
            if ($this->isDue()) {
                error_log(TerminalText::line($this->message));
            }
        } catch (Throwable) {
            // There is no other place to report to.
        }
    }

    /** All users can write to the directory, so an existing file is neither followed nor written to. */
    private function isDue(): bool
    {
        $mark = rtrim(sys_get_temp_dir(), '/').'/headroom-preload-'.hash('crc32b', getmyuid().$this->message).'.told';
        $seen = FileOperation::run(static fn () => lstat($mark));

        if ($seen !== false && $seen['mtime'] > intdiv($this->clock->micros(), 1_000_000) - self::SECONDS) {
            return false;
        }

        return FileOperation::run(
            static fn (): bool
                => ($seen === false || unlink($mark)) && ($file = fopen($mark, 'xe')) !== false && fclose($file),
        );
    }
}
