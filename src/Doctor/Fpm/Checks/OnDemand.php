<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class OnDemand implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'F4',
            'Each burst of requests waits for processes to be forked',
            Severity::Medium,
            Layer::Fpm,
            'With pm = ondemand there are no processes until requests come, and each new one is forked while its'
                .' request waits; they end again after pm.process_idle_timeout. Persistent connections to Redis and to'
                .' the SQL server end with them.',
            'pm is ondemand.',
            ['https://www.php.net/manual/en/install.fpm.configuration.php'],
        );
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(FpmPools::class)->each(static function (FpmPool $pool): Finding {
            if ($pool->setting('pm')->value !== 'ondemand') {
                return Finding::pass(
                    "its processes are there before requests come (pm = {$pool->setting('pm')->value})",
                    $pool->evidence('pm'),
                );
            }

            $edit = PoolEdit::to($pool->settings, 'pm', 'static');

            return Finding::warn(
                'Its processes are forked when requests come.',
                [$pool->evidence('pm'), $pool->evidence('pm.process_idle_timeout'), $pool->evidence('pm.max_children')],
                'The first requests of a burst wait, and connections to Redis and SQL are opened anew each time.',
                new Fix(
                    'Where the machine is for this application, keep all processes.',
                    [$edit],
                    [$pool->reload()],
                    'Put the line back and reload PHP-FPM.',
                    'headroom doctor --only=F4',
                ),
            );
        });
    }
}
