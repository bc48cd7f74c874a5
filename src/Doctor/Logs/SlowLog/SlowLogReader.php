<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\SlowLog;

use Headroom\Doctor\Logs\LogReader;
use Headroom\Host\Log\Months;

/**
 * Reads PHP-FPM's slow log line by line: an empty line, one with date, pool and pid, one with the script, and a line
 * per frame, the innermost first. The format is that of sapi/fpm/fpm/fpm_php_trace.c in php-src.
 *
 * @internal
 */
final class SlowLogReader implements LogReader
{
    private const HEADER =
        '/\A\[(\d\d-[A-Z][a-z]{2}-\d{4}) (\d\d:\d\d:\d\d)(?:\.\d{1,6})?\]\s+\[pool (.+)\] pid (\d{1,10})\z/';

    private const SCRIPT = 'script_filename = ';

    private const FAILED = '+++ dump failed';

    /** Of a deeper trace the innermost are kept, and the outermost. */
    private const MOST_FRAMES = 1_000;

    private readonly FrameParser $reader;

    /** The last line that was read. */
    private string $last = '';

    private ?string $time = null;

    private string $pool = '';

    private int $pid = 0;

    private ?string $script = null;

    /** @var list<Frame> */
    private array $frames = [];

    public function __construct(private readonly SlowLogSummary $summary)
    {
        $this->reader = $summary->frames;
    }

    /** @param iterable<string> $lines of one file, without their ends */
    public function read(iterable $lines, ?string $time = null): void
    {
        foreach ($lines as $line) {
            if ($this->time !== null && strncmp($line, '[0x', 3) === 0 && ($end = strpos($line, '] ')) !== false
                && ($frame = $this->reader->known[$text = substr($line, $end + 2)] ?? $this->reader->read($text))
                    !== null) {
                if (count($this->frames) === self::MOST_FRAMES) {
                    array_pop($this->frames);
                }

                $this->frames[] = $frame;
            } elseif ($line === '') {
                $this->finish();
            } elseif ($line[0] === '[') {
                $this->header($line);
            } else {
                $this->other($line);
            }
        }

        $this->last = $line ?? $this->last;
    }

    /** @param bool $isCut whether the last line had no end */
    public function end(bool $isCut): void
    {
        if ($this->time !== null && ($isCut || $this->frames === [])) {
            $this->summary->truncated++;
            $this->summary->unread->takeBack($isCut ? $this->last : '');
            $this->clear();
        }

        $this->finish();
    }

    private function header(string $line): void
    {
        if (preg_match(self::HEADER, $line, $m) === 1 && ($day = Months::day($m[1])) !== null) {
            $this->finish();
            [$this->time, $this->pool, $this->pid] = ["{$day} {$m[2]}", $m[3], (int) $m[4]];
        } else {
            $this->summary->unread->add($line);
        }
    }

    private function other(string $line): void
    {
        if ($this->time !== null && $line === self::FAILED) {
            $this->summary->failed++;
            $this->clear();
        } elseif ($this->time !== null && $this->script === null && str_starts_with($line, self::SCRIPT)) {
            $this->script = substr($line, strlen(self::SCRIPT));
        } else {
            $this->summary->unread->add($line);
        }
    }

    private function finish(): void
    {
        if ($this->time !== null) {
            if ($this->frames !== []) {
                $this->summary->add(
                    new Trace($this->time, $this->pool, $this->pid, $this->script ?? '', $this->frames),
                );
            } else {
                $this->summary->truncated++;
            }

            $this->clear();
        }
    }

    private function clear(): void
    {
        [$this->time, $this->script, $this->frames] = [null, null, []];
    }
}
