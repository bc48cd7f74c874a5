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
final readonly class StalePreload implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'O9',
            'What is preloaded is not what lies on disk',
            Severity::Info,
            Layer::Opcache,
            'Files that opcache.preload names are compiled when PHP-FPM starts, and stay as they were then, whatever becomes of the files: neither opcache.validate_timestamps nor opcache_reset() looks at them. After a deploy without a reload the old classes run together with new code. Whether preloading gains anything is a question for a measurement, so nothing is said where it is not used.',
            'opcache.preload is set, and a file that was preloaded is gone or has changed since, or none was preloaded.',
            ['https://www.php.net/manual/en/opcache.preloading.php'],
            5,
        );
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(FpmPools::class)->each(static function (FpmPool $pool): Finding {
            $runtime = $pool->runtime();
            $script = $runtime->ini('opcache.preload')->value ?? '';

            if ($script === '') {
                return Finding::skipped('nothing is preloaded');
            }

            $status = $runtime->opcache ?? throw UnknownFact::because("opcache of the pool {$pool->name()} tells nothing: {$runtime->opcacheUnknown}", 'opcache_get_status() in a script of the pool');
            $scripts = $status->preloadedScripts ?? 0;
            $changed = $runtime->changedPreloads ?? throw UnknownFact::because("The pool {$pool->name()} does not tell whether what it preloaded has changed.", "opcache_get_status()['preload_statistics'] in a script of the pool");
            $evidence = [new Evidence('opcache.preload', $script, $runtime->source), new Evidence('preloaded', (string) $scripts, $runtime->source), new Evidence('changed or gone since', (string) $changed, $runtime->source), ...($runtime->changedPreload === null ? [] : [new Evidence('such as', $runtime->changedPreload, $runtime->source)])];

            return $scripts > 0 && $changed === 0 ? Finding::pass('it is as it was', ...$evidence)->restingOn(Confidence::Observed) : Finding::warn(
                $scripts === 0 ? "{$script} preloads nothing." : "{$changed} of {$scripts} preloaded files are gone or have changed.",
                $evidence,
                $scripts === 0 ? 'PHP-FPM starts more slowly, for nothing.' : 'Requests run the old code of these files.',
                $scripts === 0
                    ? new Fix('Let it compile files with opcache_compile_file() (headroom preload writes such a script), or take opcache.preload away, in php.ini.', [], ['sudo systemctl restart php-fpm   # by its name on this machine'], 'Set it back and restart PHP-FPM.', 'headroom doctor --only=O9')
                    : new Fix('Reload PHP-FPM, now and with each deploy.', [], [$pool->reload()], 'Nothing was changed.', 'headroom doctor --only=O9'),
            )->restingOn(Confidence::Observed);
        });
    }
}
