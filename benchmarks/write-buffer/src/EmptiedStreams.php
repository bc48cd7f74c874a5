<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

/**
 * The streams that are emptied while the endpoints are measured. Emptying uses the machine, so both sides are emptied
 * alike, and the unequal case is measured as well.
 */
enum EmptiedStreams: string
{
    case Neither = 'neither stream is emptied';
    case Both = 'both streams are emptied, the bare one by workbench:consume';
    case Ours = 'only the buffer is emptied';

    /** @return list<list<string>> artisan commands that run throughout */
    public function commands(): array
    {
        return match ($this) {
            self::Neither => [],
            self::Both => [['spool:work', '--sleep=1'], ['workbench:consume']],
            self::Ours => [['spool:work', '--sleep=1']],
        };
    }
}
