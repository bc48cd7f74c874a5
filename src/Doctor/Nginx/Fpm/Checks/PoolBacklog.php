<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Nginx\Fpm\Backlogs;

/**
 * @internal
 */
final readonly class PoolBacklog implements PoolCheck
{
    private const SETTING = 'listen.backlog';

    private const LIMIT = 'net.core.somaxconn';

    private const LEAST = 128;

    /** The default of PHP-FPM. */
    private const ADVISED = '511';

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $sysctl = $facts->get(Sysctl::class);
        $most = $sysctl->integer(self::LIMIT);
        $asked = $pool->integer(self::SETTING);
        // -1 asks for as many as the kernel allows.
        $asked = $asked < 0 ? $most : $asked;
        $evidence = [$pool->evidence(self::SETTING), $sysctl->evidence(self::LIMIT)];

        return match (true) {
            $asked > $most => Finding::warn(
                self::SETTING." asks for {$asked}, and the kernel allows {$most}.",
                $evidence,
                new Fix(
                    changes: $sysctl->edits(self::LIMIT, Backlogs::largest($facts)),
                    commands: [$pool->restart()],
                    rollback: Sysctl::restored([self::LIMIT => $most]),
                ),
            ),
            $asked < self::LEAST => Finding::warn(
                "Only {$asked} connections may wait.",
                $evidence,
                new Fix(changes: [PoolEdit::of($pool, self::SETTING, self::ADVISED)]),
            ),
            default => Finding::pass('the backlog is as configured', ...$evidence),
        };
    }
}
