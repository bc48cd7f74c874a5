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
            'More than 1 % of 10,000 or more lookups missed, not counting one of each process for each file that is in it.',
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
            // The first look for a file finds nothing, on the healthiest pool, and so do those of others until it is compiled.
            $first = ($status->cachedScripts ?? 0) * max(1, $pool->settings->integer('pm.max_children') ?? 1);
            $again = max(0, ($status->misses ?? 0) - $first);
            $percent = 100 * (1 - $again / max(1, $lookups));
            $evidence = [
                new Evidence('lookups that missed', sprintf('%d of %d', $status->misses ?? 0, $lookups), $runtime->source),
                new Evidence('files in it', (string) ($status->cachedScripts ?? 0), $runtime->source),
            ];

            if ($lookups < self::LOOKUPS || $percent >= self::PERCENT) {
                return Finding::pass('it finds what it should', ...$evidence);
            }

            return Finding::warn(
                sprintf('%.1f %% of its lookups found nothing, not counting the first of each process for each file.', 100 - $percent),
                $evidence,
                'Files are compiled that were compiled before.',
                new Fix('Look at checks O2 and O3 first. A deploy reloads PHP-FPM once and resets nothing.', [], [], 'Nothing was changed.', 'headroom doctor --only=O7'),
            )->restingOn(Confidence::Observed);
        });
    }
}
