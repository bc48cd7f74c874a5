<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Fpm;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Fpm\FpmPool;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\Facts\Fpm\Setting;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class OverriddenPool implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'F15',
            'Lines of a pool have no effect: a later file sets them again',
            Severity::Medium,
            Layer::Fpm,
            'PHP-FPM reads its files in the order of their names, and takes sections of one name for one pool. Of two lines that set the same, the later one holds. If you raise pm.max_children in the file that is read first, nothing changes, and no log says so.',
            'A setting of a pool is set twice with different values. Lists, such as env[...] and php_value[...], are not looked at.',
            ['https://www.php.net/manual/en/install.fpm.configuration.php', 'https://github.com/php/php-src/blob/PHP-8.2/sapi/fpm/fpm/fpm_conf.c'],
        );
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(FpmPools::class)->each(static function (FpmPool $pool): Finding {
            $overridden = array_values(array_filter(
                $pool->settings->overridden,
                static fn (Setting $setting): bool => ! str_contains($setting->name, '['),
            ));

            if ($overridden === []) {
                return Finding::pass('each of its settings is set once', $pool->evidence('pm.max_children'));
            }

            $evidence = [];

            foreach ($overridden as $setting) {
                array_push($evidence, new Evidence($setting->name, $setting->value, "{$setting->origin}, without effect"), $pool->evidence($setting->name));
            }

            $first = $overridden[0];
            $holds = $pool->evidence($first->name);

            return Finding::warn(
                "{$first->name} = {$first->value} in {$first->origin} has no effect: {$holds->source} sets it to {$holds->value}.",
                $evidence,
                'The pool does not run as the file says that you edit.',
                new Fix(
                    "Keep one of the two lines, {$first->origin} or {$holds->source}, and take out the other.",
                    [],
                    [$pool->reload()],
                    'Put the line back and reload PHP-FPM.',
                    'headroom doctor --only=F15',
                ),
            );
        });
    }
}
