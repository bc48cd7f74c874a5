<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\Directives\NginxSetting;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\Edits\NginxEdits;
use Headroom\Doctor\Nginx\Fpm\IdleConnections;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class OneWorker implements NginxCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $cpus = $nginx->facts->cpus;
        $setting = $nginx->facts->workerProcesses();
        $workers = $nginx->workers();
        $evidence = [
            $nginx->evidence($setting),
            new Evidence('CPUs', (string) $cpus, '/proc/self/status, and the quota of its control group'),
        ];

        yield $workers > 1 || $cpus < 2
            ? Finding::pass('nginx has more than one worker, or the machine has one CPU', ...$evidence)
            : Finding::warn("nginx has one worker, and {$cpus} CPUs.", $evidence, self::fix($nginx, $facts, $setting));
    }

    private static function fix(NginxServer $nginx, Facts $facts, NginxSetting $setting): Fix
    {
        $change = NginxChange::ofSetting($setting, 'worker_processes auto')
            ?? NginxChange::outside($nginx->facts->config, 'worker_processes auto');
        $starving = IdleConnections::starving($facts, $nginx, $nginx->facts->cpus);

        return new Fix(
            changes: NginxEdits::edits([$change, ...$starving->removed()]),
            commands: [$nginx->reload(), ...$starving->reloads()],
        );
    }
}
