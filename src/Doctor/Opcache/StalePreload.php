<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache;

use Headroom\Doctor\Confidence;
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
            return Finding::skipped('check O13 comes first: the pool says what only php.ini may');
        }

        $runtime->opcache ?? throw FactUnavailable::because(
            "opcache of the pool {$pool->name()} tells nothing: {$runtime->opcacheUnknown}",
            'opcache_get_status() in a script of the pool',
        );
        $preloaded = $runtime->preloaded;
        $evidence = [
            new Evidence('opcache.preload', $script, $runtime->source),
            new Evidence(
                'preloaded',
                $preloaded === null
                    ? 'nothing'
                    : "{$preloaded->symbols} classes and functions, ".count($preloaded->files).' files',
                $runtime->source,
            ),
        ];

        $finding = $preloaded === null || $preloaded->symbols === 0
            ? self::nothing($pool, $script, [...$evidence, ...$pool->saidWhilePreloading()])
            : self::changed($pool, $preloaded, $evidence);

        return $finding->restingOn(Confidence::Observed);
    }

    /** @param list<Evidence> $evidence */
    private static function nothing(FpmPool $pool, string $script, array $evidence): Finding
    {
        return Finding::warn(
            "{$script} preloads nothing.",
            $evidence,
            'PHP-FPM starts more slowly, for nothing.',
            new Fix(
                'A script of headroom preload says why, where PHP writes its errors when it starts (error_log,'
                    .' or the journal): make it anew with headroom preload as the application is now, and reload'
                    .' PHP-FPM. Another has to compile files with opcache_compile_file(). Or take opcache.preload out'
                    .' of php.ini and restart PHP-FPM.',
                [],
                [$pool->reload()],
                'Set it back and restart PHP-FPM.',
                'headroom doctor --only=O9',
            ),
        );
    }

    /**
     * @param list<Evidence> $evidence
     *
     * @throws FactUnavailable
     */
    private static function changed(FpmPool $pool, PreloadedCode $preloaded, array $evidence): Finding
    {
        $changed = $preloaded->changed ?? throw FactUnavailable::because(
            "The pool {$pool->name()} does not tell whether what it preloaded has changed.",
            "opcache_get_status()['preload_statistics'] in a script of the pool",
        );

        if ($preloaded->isScriptGone) {
            return self::gone($pool, $evidence);
        }

        $turned = $preloaded->turned();
        $source = $pool->runtime()->source;
        array_push(
            $evidence,
            new Evidence('changed or gone since', (string) $changed, $source),
            ...($preloaded->firstChanged === null ? [] : [new Evidence('such as', $preloaded->firstChanged, $source)]),
            ...($turned === null ? [] : [new Evidence('it leads to now', $turned[1], $source)]),
        );
        $files = count($preloaded->files);

        return $changed === 0 && $turned === null ? Finding::pass('it is as it was', ...$evidence) : Finding::warn(
            $turned === null
                ? "{$changed} of {$files} preloaded files are gone or have changed."
                : "What is preloaded is of {$turned[0]}, and the link of the deploy leads to {$turned[1]} now.",
            $evidence,
            $turned === null
                ? 'Requests run the old code of these files.'
                : 'Requests run the classes of the old release.',
            new Fix(
                'Reload PHP-FPM, now and with each deploy.',
                [],
                [$pool->reload()],
                'Nothing was changed.',
                'headroom doctor --only=O9',
            ),
        );
    }

    /** @param list<Evidence> $evidence */
    private static function gone(FpmPool $pool, array $evidence): Finding
    {
        return Finding::warn(
            "{$evidence[0]->value} is gone.",
            $evidence,
            'Requests run what it has preloaded once, and PHP-FPM does not start any more: a reload is an outage.',
            new Fix(
                'Do not reload PHP-FPM yet. Make it anew with headroom preload, or take opcache.preload out of php.ini;'
                    ." then {$pool->reload()}.",
                [],
                [],
                'Nothing was changed.',
                'headroom doctor --only=O9',
            ),
        );
    }
}
