<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\Directives\NginxSetting;
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
        $setting = $nginx->facts->workerConnections();
        $each = $setting->knownNumber();
        $workers = $nginx->workers();
        $clients = (int) min(PHP_INT_MAX >> 1, $workers * $each / 2);
        $evidence = [
            new Evidence('worker_processes', (string) $workers, $nginx->facts->workerProcesses()->source),
            $nginx->evidence($setting),
            new Evidence('clients at once', "{$workers} x {$each} / 2 = {$clients}", 'the lines above'),
        ];

        yield $clients >= self::CLIENTS
            ? Finding::pass('there are enough connections', ...$evidence)
            : Finding::warn("nginx serves {$clients} clients at once.", $evidence, self::fix($nginx, $setting));
    }

    private static function fix(NginxServer $nginx, NginxSetting $setting): Fix
    {
        $text = 'worker_connections '.self::ADVISED;
        $events = $nginx->facts->config->blocks('events')[0] ?? null;
        $change = NginxChange::ofSetting($setting, $text) ?? ($events === null
            ? NginxChange::outside($nginx->facts->config, "events { {$text}; }")
            : NginxChange::into($events, $text));
        $rlimit = new WorkerRlimit($nginx);

        // With more connections than files, check N2 would report the next fault.
        return $nginx->fix([$change, $rlimit->allows(self::ADVISED) ? null : $rlimit->raisedTo(2 * self::ADVISED)]);
    }

    /** Connections of a worker after the fix of this check. */
    public static function after(NginxServer $nginx, int $each): int
    {
        return ($nginx->facts->workers() ?? 1) * $each / 2 < self::CLIENTS ? max($each, self::ADVISED) : $each;
    }
}
