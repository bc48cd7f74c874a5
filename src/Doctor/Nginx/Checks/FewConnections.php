<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\ServerCheck;

/**
 * @internal
 */
final readonly class FewConnections implements ServerCheck
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
            new Evidence('worker_connections', (string) $each, $said->source),
            new Evidence('clients at once', "{$workers} x {$each} / 2 = {$clients}", 'the lines above'),
        ];

        if ($clients >= self::CLIENTS) {
            return [Finding::pass('there is room', ...$evidence)];
        }

        $text = 'worker_connections '.self::ADVISED;
        $events = $nginx->facts->config->blocks('events')[0] ?? null;
        $change = match (true) {
            $said->said !== null => NginxChange::to($said->said, $text),
            $events !== null => NginxChange::into($events, $text),
            default => NginxChange::outside($nginx->facts->config, "events { {$text}; }"),
        };
        $files = OpenFiles::allow($nginx, self::ADVISED) ? [] : [OpenFiles::change($nginx, 2 * self::ADVISED)];

        return [Finding::warn(
            "nginx serves {$clients} clients at once.",
            $evidence,
            'The next client is turned away while CPUs and PHP are idle.',
            new Fix(
                'Let each worker have '.self::ADVISED.': worker_connections '.self::ADVISED
                    .'; in the block events of nginx.conf. Its limit of open files has to be higher (check N2): '
                    .'worker_rlimit_nofile '
                    . 2 * self::ADVISED.'; outside of all blocks.',
                // More connections than files would only move the fault.
                NginxChange::edits($change, ...$files),
                [$nginx->reload()],
                'Put the line back and reload nginx.',
            ),
        )];
    }

    /** Connections of a worker, once this check's advice is followed. */
    public static function after(NginxServer $nginx, int $each): int
    {
        return ($nginx->facts->workers() ?? 1) * $each / 2 < self::CLIENTS ? max($each, self::ADVISED) : $each;
    }
}
