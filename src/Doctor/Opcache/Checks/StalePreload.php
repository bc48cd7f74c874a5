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
        $evidence = [
            $runtime->observed('opcache.preload', $script), $runtime->observed('preloaded', $runtime->preloads()),
        ];
        $preloaded = $runtime->preloaded;

        return ($preloaded === null || $preloaded->symbols === 0 ? Finding::warn(
            "{$script} preloads nothing.",
            [...$evidence, ...$pool->preloadMessages()],
            new Fix(
                'A script of `headroom preload` writes the reason to the error log of PHP (error_log, or the journal):'
                    .' create it again for the application as it is now. Any other script must compile files with'
                    .' opcache_compile_file(). Or remove opcache.preload from php.ini and restart PHP-FPM.',
                commands: [$pool->reload()],
                rollback: 'Restore the script, then reload PHP-FPM.',
            ),
            'PHP-FPM starts more slowly, without a gain.',
        ) : self::ofFiles($pool, $script, $preloaded, $evidence))->observed();
    }

    /** @param list<Evidence> $evidence */
    private static function ofFiles(FpmPool $pool, string $script, PreloadedCode $preloaded, array $evidence): Finding
    {
        $changed = $preloaded->changed ?? throw FactUnavailable::because(
            "The pool {$pool->name()} does not report whether preloaded files have changed.",
            "opcache_get_status()['preload_statistics'] in a script of the pool",
        );
        [$before, $now] = $preloaded->switched() ?? ['', null];
        $seen = array_filter([
            'changed or missing' => (string) $changed,
            'such as' => $preloaded->firstChanged,
            'now leads to' => $now,
        ], static fn (?string $value): bool => $value !== null);
        $files = array_map($pool->runtime()->observed(...), array_keys($seen), $seen);

        return match (true) {
            $preloaded->isScriptGone => Finding::warn(
                "{$script} does not exist.",
                $evidence,
                new Fix(
                    'Do not reload PHP-FPM yet. Create the script again with `headroom preload`, or remove'
                        ." opcache.preload from php.ini; then {$pool->reload()}.",
                ),
                'Requests still run the preloaded code, but PHP-FPM cannot start again: a reload is an outage.',
            ),
            $changed === 0 && $now === null => Finding::pass('no file has changed', ...$evidence, ...$files),
            default => Finding::warn(
                $now === null
                    ? "{$changed} of ".count($preloaded->files).' preloaded files are missing or have changed.'
                    : "{$before} is preloaded, and the link of the deploy now leads to {$now}.",
                [...$evidence, ...$files],
                new Fix(commands: [$pool->reload()]),
            ),
        };
    }
}
