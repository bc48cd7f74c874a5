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
        $code = $runtime->preloaded;
        $evidence = [
            $runtime->observed('opcache.preload', $script),
            $runtime->observed('preloaded', $runtime->preloads()),
            ...($code === null ? [] : $code->evidence($runtime->source)),
        ];

        return ($code === null || $code->symbols === 0 ? Finding::warn(
            "{$script} preloads nothing.",
            [...$evidence, ...$pool->preloadMessages()],
            new Fix(
                'A script of `headroom preload` writes the reason to the error log of PHP (error_log, or the journal):'
                    .' create it again for the application as it is now. Any other script must compile files with'
                    .' opcache_compile_file(). Or remove opcache.preload from php.ini and restart PHP-FPM.',
                commands: [$pool->reload()],
                rollback: 'Restore the script, then reload PHP-FPM.',
            ),
        ) : self::ofFiles($pool, $script, $code, $evidence))->observed();
    }

    /** @param list<?Evidence> $evidence */
    private static function ofFiles(FpmPool $pool, string $script, PreloadedCode $code, array $evidence): Finding
    {
        $changed = $code->changed ?? throw FactUnavailable::because(
            "The pool {$pool->name()} does not report whether preloaded files have changed.",
            "opcache_get_status()['preload_statistics'] in a script of the pool",
        );
        $switched = $code->switched();

        return match (true) {
            $code->isScriptGone => Finding::warn(
                "{$script} does not exist.",
                $evidence,
                new Fix(
                    'Do not reload PHP-FPM yet. Create the script again with `headroom preload`, or remove'
                        ." opcache.preload from php.ini; then {$pool->reload()}.",
                ),
                'Requests still run the preloaded code, but PHP-FPM cannot start again: a reload is an outage.',
            ),
            $changed === 0 && $switched === null => Finding::pass('no file has changed', ...$evidence),
            default => Finding::warn(
                $switched === null
                    ? "{$changed} of ".count($code->files).' preloaded files are missing or have changed.'
                    : "{$switched[0]} is preloaded, and the link of the deploy now leads to {$switched[1]}.",
                $evidence,
                new Fix(commands: [$pool->reload()]),
            ),
        };
    }
}
