<?php

declare(strict_types=1);

namespace Headroom\Laravel\Preload;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Support\FileOperation;
use Headroom\Support\TerminalText;
use Throwable;

/**
 * Says in PHP's log why no sample could be written: once an hour, since each sampled request finds the same.
 *
 * @internal
 */
final readonly class SampleFailureLog
{
    private const SECONDS = 3_600;

    public function __construct(private string $message, private Clock $clock = new SystemClock) {}

    public function make(): void
    {
        try {
            if ($this->isDue()) {
                error_log(TerminalText::line($this->message));
            }
        } catch (Throwable) {
            // There is nobody left to be told.
        }
    }

    /** The directory is everybody's, so a file that is there is neither followed nor written to. */
    private function isDue(): bool
    {
        $mark = rtrim(sys_get_temp_dir(), '/').'/headroom-preload-'.hash('crc32b', getmyuid().$this->message).'.told';
        $seen = FileOperation::run(static fn () => lstat($mark));

        if ($seen !== false && $seen['mtime'] > intdiv($this->clock->micros(), 1_000_000) - self::SECONDS) {
            return false;
        }

        return FileOperation::run(static fn (): bool => ($seen === false || unlink($mark)) && ($file = fopen($mark, 'xe')) !== false && fclose($file));
    }
}
