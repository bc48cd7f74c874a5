<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;

/**
 * @internal
 */
final readonly class OverriddenPool implements PoolCheck
{
    /** Each line of these settings has an effect. */
    private const ADDED = '/\A\w+\[(?:disable_functions|disable_classes|extension|zend_extension|)\]\z/';

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $overridden = self::overridden($pool);

        if ($overridden === []) {
            return Finding::pass('each setting of the pool is set once', $pool->evidence('pm.max_children'));
        }

        $evidence = [];

        foreach ($overridden as [$setting, $name]) {
            $source = "{$setting->origin}, without effect";
            array_push($evidence, new Evidence($setting->name, $setting->value, $source), $pool->evidence($name));
        }

        [$first, $name] = $overridden[0];
        $effective = $pool->evidence($name);
        $what = $name === $first->name ? 'it' : $name;

        return Finding::warn(
            "{$first->name} = {$first->value} in {$first->origin} has no effect: {$effective->source} sets {$what} to"
                ." {$effective->value}.",
            $evidence,
            'The pool does not run with the settings of the file that you edit.',
            new Fix(
                "Keep one of the two lines, {$first->origin} or {$effective->source}, and remove the other.",
                commands: [$pool->reload()],
                rollback: 'Restore the line, then run the same commands.',
            ),
        );
    }

    /** @return list<array{PhpSetting, string}> a line without effect, and the name of the setting with effect */
    private static function overridden(FpmPool $pool): array
    {
        $found = array_map(
            static fn (PhpSetting $setting): array => [$setting, $setting->name],
            $pool->settings->overridden,
        );

        foreach ($pool->settings->settings as $setting) {
            $admin = str_replace('php_value[', 'php_admin_value[', $setting->name);
            $effective = $admin === $setting->name ? null : $pool->settings->setting($admin);

            if ($effective !== null && $effective->value !== $setting->value) {
                $found[] = [$setting, $admin];
            }
        }

        return array_values(array_filter(
            $found,
            static fn (array $line): bool => preg_match(self::ADDED, $line[0]->name) !== 1,
        ));
    }
}
