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
final readonly class FrequentRespawns implements Check
{
    private const FEWEST = 500;

    public function rule(): Rule
    {
        return new Rule(
            'F10',
            'Processes are replaced before they have served much',
            Severity::Medium,
            Layer::Fpm,
            'After pm.max_requests a process ends and another is forked, and with it go its persistent connections to'
                .' Redis and to the SQL server. A thousand or more still bounds what a leak can take;'
                .' a few hundred costs a fork and new connections every few seconds.',
            'pm.max_requests is above 0 and below 500.',
            ['https://www.php.net/manual/en/install.fpm.configuration.php'],
            2,
        );
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(FpmPools::class)->each(static function (FpmPool $pool): Finding {
            $most = $pool->integer('pm.max_requests');

            if ($most === 0 || $most >= self::FEWEST) {
                return Finding::pass('they last', $pool->evidence('pm.max_requests'));
            }

            $edit = PoolEdit::to($pool->settings, 'pm.max_requests', '5000');

            return Finding::warn(
                "A process ends after {$most} requests.",
                [$pool->evidence('pm.max_requests')],
                'Forks and new connections, again and again.',
                new Fix(
                    'Let it serve 5000.',
                    [$edit],
                    [$pool->reload()],
                    'Put the line back and reload PHP-FPM.',
                    'headroom doctor --only=F10',
                ),
            );
        });
    }
}
