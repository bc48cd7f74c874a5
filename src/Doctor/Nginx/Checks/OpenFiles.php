<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\WorkerRlimit;

/**
 * @internal
 */
final readonly class OpenFiles implements NginxCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $setting = $nginx->facts->workerConnections();
        $each = $setting->knownNumber();
        $rlimit = new WorkerRlimit($nginx);
        [$pid, $limit] = $rlimit->lowest();
        $evidence = [
            $nginx->evidence($setting),
            new Evidence('open files of a worker', (string) $limit, "/proc/{$pid}/limits"),
        ];

        yield $limit >= $each
            ? Finding::pass('a worker may open as many files as it needs', ...$evidence)
            : Finding::fail(
                "A worker may have {$each} connections and {$limit} open files.",
                $evidence,
                self::fix($nginx, $rlimit, 2 * FewConnections::after($nginx, $each)),
            )->observed();
    }

    private static function fix(NginxServer $nginx, WorkerRlimit $rlimit, int $files): Fix
    {
        $setting = $nginx->facts->workerRlimitNofile();

        // Without CAP_SYS_RESOURCE, as in a container, a worker cannot have more than the hard limit of its master.
        return $setting === null || $setting->number() < $files ? $nginx->fix([$rlimit->raisedTo($files)]) : new Fix(
            "worker_rlimit_nofile {$setting->value()}; is set in {$setting->source} already."
                .' Reload nginx if that line is new. Otherwise the hard limit of nginx is lower: set'
                ." LimitNOFILE={$files} for its unit, or --ulimit nofile={$files} for its container, and restart it.",
            commands: ["grep 'open files' /proc/{$nginx->master->pid}/limits", $nginx->restart()],
            rollback: 'Restore the limit, then restart nginx.',
        );
    }
}
