<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs;

/**
 * From when to when, in the time of the machine that wrote the log: its lines do not say which zone that is.
 *
 * @internal
 */
final class TimeRange
{
    public ?string $first = null;

    public ?string $last = null;

    /** @param string $time "2020-11-27 13:20:11"; files may come in any order */
    public function add(string $time): void
    {
        // A log goes forward.
        if ($this->last !== null && $time >= $this->last) {
            $this->last = $time;

            return;
        }

        $this->last ??= $time;

        if ($this->first === null || $time < $this->first) {
            $this->first = $time;
        }
    }
}
