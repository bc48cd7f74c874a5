<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

/**
 * Which of the two streams somebody empties while the endpoints are measured. Emptying takes a share of the machine
 * that has nothing to do with the request, so the same is done for both sides, and the unequal case is shown beside it.
 */
enum Emptied: string
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
