<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\Runtime\ServedRoot;
use Headroom\Support\TerminalText;

/**
 * @internal
 */
final readonly class SharedPreload implements Check
{
    public function examine(Facts $facts): iterable
    {
        return $facts->get(FpmPools::class)
            ->eachMaster(static fn (FpmPool $pool): Finding => self::finding($pool, $facts));
    }

    /** @throws FactUnavailable */
    private static function finding(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $symbols = $runtime->preloaded()->symbols ?? 0;

        if ($symbols === 0) {
            return Finding::skipped('nothing is preloaded');
        }

        $served = $facts->get(ServedApplications::class)->of($pool);
        $evidence = [
            new Evidence('preloaded', "{$symbols} classes and functions", $runtime->source),
            ...array_map(
                static fn (ServedRoot $root): Evidence => new Evidence('application', $root->path, $root->source),
                array_slice($served, 0, 5),
            ),
        ];

        return (count($served) < 2 ? Finding::pass('it serves one application', ...$evidence) : Finding::fail(
            'It preloads, and serves '.TerminalText::count(count($served), 'application').': '
                .implode(
                    ', ',
                    array_map(static fn (ServedRoot $root): string => $root->path, array_slice($served, 0, 5)),
                )
                .'.',
            $evidence,
            'Requests of one application run classes of another.',
            new Fix(
                'Give each application a PHP-FPM of its own: a master with its own configuration, php.ini directory and'
                    .' unit, not one more pool. Until then take opcache.preload out of php.ini and restart PHP-FPM.',
                [],
                [$pool->restart()],
                'Set it back and restart PHP-FPM.',
                'headroom doctor --only=O14',
            ),
        ))->restingOn(Confidence::Observed);
    }
}
