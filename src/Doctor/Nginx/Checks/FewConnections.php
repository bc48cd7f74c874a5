<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\WorkerRlimit;

/**
 * @internal
 */
final readonly class FewConnections implements NginxCheck
{
    /** At once; a request takes two connections, one on each side. */
    private const CLIENTS = 512;

    private const ADVISED = 4096;

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $said = $nginx->facts->workerConnections();
        $each = $said->number() ?? throw FactUnavailable::because(
            "worker_connections is not known: {$said->source}.",
            'sudo nginx -T | grep worker_connections',
        );
        $workers = $nginx->facts->workers() ?? throw FactUnavailable::because(
            'worker_processes of nginx is not a number.',
            'sudo nginx -T | grep worker_processes',
        );
        $clients = (int) min(PHP_INT_MAX >> 1, $workers * $each / 2);
        $evidence = [
            new Evidence('worker_processes', (string) $workers, $nginx->facts->workerProcesses()->source),
            $nginx->evidence($said),
            new Evidence('clients at once', "{$workers} x {$each} / 2 = {$clients}", 'the lines above'),
        ];

        if ($clients >= self::CLIENTS) {
            return [Finding::pass('there are enough connections', ...$evidence)];
        }

        $text = 'worker_connections '.self::ADVISED;
        $events = $nginx->facts->config->blocks('events')[0] ?? null;
        $change = match (true) {
            $said->said !== null => NginxChange::to($said->said, $text),
            $events !== null => NginxChange::into($events, $text),
            default => NginxChange::outside($nginx->facts->config, "events { {$text}; }"),
        };
        $rlimit = new WorkerRlimit($nginx);
        // With more connections than files, check N2 would report the next fault.
        $files = $rlimit->allows(self::ADVISED) ? [] : [$rlimit->raisedTo(2 * self::ADVISED)];

        return [Finding::warn(
            "nginx serves {$clients} clients at once.",
            $evidence,
            'The next client is refused while CPUs and PHP are idle.',
            $nginx->fix(
                "Let each worker have more: {$text}; in the block events of nginx.conf. Its limit of open files must be"
                    .' higher (check N2): worker_rlimit_nofile '. 2 * self::ADVISED.'; outside of all blocks.',
                $change,
                ...$files,
            ),
        )];
    }

    /** Connections of a worker after the fix of this check. */
    public static function after(NginxServer $nginx, int $each): int
    {
        return ($nginx->facts->workers() ?? 1) * $each / 2 < self::CLIENTS ? max($each, self::ADVISED) : $each;
    }
}
