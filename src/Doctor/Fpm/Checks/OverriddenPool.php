<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
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
            'Lines of a pool have no effect: another line sets the same',
            // Images of PHP override lines of their own www.conf on purpose.
            Severity::Low,
            Layer::Fpm,
            'PHP-FPM reads its files in the order of their names, and takes sections of one name for one pool. Of two '
                .'lines that set the same, the later one holds; of two env[...], php_value[...] or '
                .'php_admin_value[...] '
                .'with one name the first one, and php_admin_value before php_value. '
                .'If you raise pm.max_children in the '
                .'file that is read first, nothing changes, and no log says so.',
            'A setting of a pool is set twice with different values, or by php_value and by php_admin_value.',
            [
                'https://www.php.net/manual/en/install.fpm.configuration.php',
                'https://github.com/php/php-src/blob/PHP-8.2/sapi/fpm/fpm/fpm_conf.c',
            ],
        );
    }

    /** Each of their lines has an effect. */
    private const ADDED = '/\A\w+\[(?:disable_functions|disable_classes|extension|zend_extension|)\]\z/';

    /** @return list<array{PhpSetting, string}> a line without effect and the name of the setting that holds */
    private static function overridden(FpmPool $pool): array
    {
        $found = [];

        foreach ($pool->settings->overridden as $setting) {
            $found[] = [$setting, $setting->name];
        }

        foreach ($pool->settings->settings as $setting) {
            $admin = str_replace('php_value[', 'php_admin_value[', $setting->name);
            $holds = $admin === $setting->name ? null : $pool->settings->setting($admin);
            $found = $holds === null || $holds->value === $setting->value ? $found : [...$found, [$setting, $admin]];
        }

        return array_values(array_filter(
            $found,
            static fn (array $line): bool => preg_match(self::ADDED, $line[0]->name) !== 1,
        ));
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(FpmPools::class)->each(static function (FpmPool $pool): Finding {
            $overridden = self::overridden($pool);

            if ($overridden === []) {
                return Finding::pass('each of its settings is set once', $pool->evidence('pm.max_children'));
            }

            $evidence = [];

            foreach ($overridden as [$setting, $name]) {
                $source = "{$setting->origin}, without effect";
                array_push($evidence, new Evidence($setting->name, $setting->value, $source), $pool->evidence($name));
            }

            [$first, $name] = $overridden[0];
            $holds = $pool->evidence($name);
            $what = $name === $first->name ? 'it' : $name;

            return Finding::warn(
                "{$first->name} = {$first->value} in {$first->origin} has no effect: {$holds->source} sets {$what} to"
                    ." {$holds->value}.",
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
