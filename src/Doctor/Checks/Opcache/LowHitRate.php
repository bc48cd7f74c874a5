<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Opcache;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Fpm\FpmPool;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnknownFact;

/**
 * @internal
 */
final readonly class LowHitRate implements Check
{
    private const PERCENT = 99.0;

    /** Before that an application is warming up. */
    private const LOOKUPS = 10_000;

    public function rule(): Rule
    {
        return new Rule(
            'O7',
            'opcache does not find what it should have',
            Severity::Medium,
            Layer::Opcache,
            'Once an application is warm each file is found in opcache. Misses that go on are files that are compiled again and again: too little memory or too few keys (checks O2, O3), files that change all the time, a blacklist, or resets by a deploy script (check O6).',
            'Fewer than 99 % of 10,000 or more lookups were hits.',
            ['https://www.php.net/manual/en/function.opcache-get-status.php'],
            20,
        );
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(FpmPools::class)->each(static function (FpmPool $pool): Finding {
            $runtime = $pool->runtime();
            $status = $runtime->opcache ?? throw UnknownFact::because("opcache of the pool {$pool->name()} tells nothing: {$runtime->opcacheUnknown}", 'opcache_get_status() in a script of the pool');
            $lookups = ($status->hits ?? 0) + ($status->misses ?? 0);
            $evidence = [new Evidence('hit rate', $status->hitRatePercent === null ? 'none yet' : sprintf('%.1f %% of %d', $status->hitRatePercent, $lookups), $runtime->source)];

            if ($lookups < self::LOOKUPS || ($status->hitRatePercent ?? 100.0) >= self::PERCENT) {
                return Finding::pass('it finds what it should', ...$evidence);
            }

            return Finding::warn(
                sprintf('%.1f %% of its lookups were hits.', $status->hitRatePercent ?? 0.0),
                $evidence,
                'Files are compiled that were compiled before.',
                new Fix('Look at checks O2 and O3 first. A deploy reloads PHP-FPM once and resets nothing.', [], [], 'Nothing was changed.', 'headroom doctor --only=O7'),
            )->restingOn(Confidence::Observed);
        });
    }
}
