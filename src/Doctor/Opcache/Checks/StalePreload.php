<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Fpm\Runtime\PreloadedCode;

/**
 * @internal
 */
final readonly class StalePreload implements PoolCheck
{
    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $script = $runtime->ini('opcache.preload')->value ?? '';

        if ($script === '') {
            return Finding::skipped('nothing is preloaded');
        }

        if ($pool->settings->ini('opcache.preload') !== null) {
            return Finding::skipped('check O13 comes first: the pool sets what only php.ini can set');
        }

        $runtime->opcacheStatus();
        $preloaded = $runtime->preloaded;
        $evidence = [
            $runtime->observed('opcache.preload', $script),
            $runtime->observed(
                'preloaded',
                $preloaded === null
                    ? 'nothing'
                    : "{$preloaded->symbols} classes and functions, ".count($preloaded->files).' files',
            ),
        ];

        if ($preloaded === null || $preloaded->symbols === 0) {
            return self::nothing($pool, $script, [...$evidence, ...$pool->preloadMessages()])->observed();
        }

        $changed = $preloaded->changed ?? throw FactUnavailable::because(
            "The pool {$pool->name()} does not report whether preloaded files have changed.",
            "opcache_get_status()['preload_statistics'] in a script of the pool",
        );

        return ($preloaded->isScriptGone ? Finding::warn(
            "{$script} does not exist.",
            $evidence,
            'Requests still run the preloaded code, but PHP-FPM cannot start again: a reload is an outage.',
            new Fix(
                'Do not reload PHP-FPM yet. Create the script again with `headroom preload`, or remove opcache.preload'
                    ." from php.ini; then {$pool->reload()}.",
            ),
        ) : self::ofFiles($pool, $changed, $preloaded, $evidence))->observed();
    }

    /** @param list<Evidence> $evidence */
    private static function nothing(FpmPool $pool, string $script, array $evidence): Finding
    {
        return Finding::warn(
            "{$script} preloads nothing.",
            $evidence,
            'PHP-FPM starts more slowly, without a gain.',
            new Fix(
                'A script of `headroom preload` writes the reason to the error log of PHP (error_log, or the journal):'
                    .' create it again for the application as it is now. Any other script must compile files with'
                    .' opcache_compile_file(). Or remove opcache.preload from php.ini and restart PHP-FPM.',
                commands: [$pool->reload()],
                rollback: 'Restore the script, then reload PHP-FPM.',
            ),
        );
    }

    /** @param list<Evidence> $evidence */
    private static function ofFiles(FpmPool $pool, int $changed, PreloadedCode $preloaded, array $evidence): Finding
    {
        $runtime = $pool->runtime();
        $switched = $preloaded->switched();
        array_push(
            $evidence,
            $runtime->observed('changed or missing', (string) $changed),
            ...($preloaded->firstChanged === null ? [] : [$runtime->observed('such as', $preloaded->firstChanged)]),
            ...($switched === null ? [] : [$runtime->observed('now leads to', $switched[1])]),
        );

        if ($changed === 0 && $switched === null) {
            return Finding::pass('no file has changed', ...$evidence);
        }

        return Finding::warn(
            $switched === null
                ? "{$changed} of ".count($preloaded->files).' preloaded files are missing or have changed.'
                : "{$switched[0]} is preloaded, and the link of the deploy now leads to {$switched[1]}.",
            $evidence,
            $switched === null
                ? 'Requests run the old code of these files.'
                : 'Requests run classes of the old release.',
            new Fix('Reload PHP-FPM now and with each deploy.', commands: [$pool->reload()]),
        );
    }
}
