<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\Runtime\ServedRoot;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;
use Headroom\Support\TerminalText;

/**
 * @internal
 */
final readonly class SharedPreload implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'O14',
            'An application runs classes that were preloaded for another one',
            Severity::Critical,
            Layer::Opcache,
            'What is preloaded is there for every request of a PHP-FPM, whichever pool it comes to:'
                .' a class is looked for by its name, and found. Where two applications have a class of one name,'
                .' App\Http\Controllers\Controller or any of a package they both use, the second one runs that of the'
                .' first, in its version, answers 200, and nothing is logged. Where code of a file has to run too,'
                .' it dies of Cannot redeclare.',
            'Classes or functions are preloaded, and one PHP-FPM serves more than one application:'
                .' directories with an autoloader of Composer whose code is in opcache, was preloaded, or is what nginx'
                .' sends to it for. Releases of one application count as one: those below one directory `releases`,'
                .' and those that share storage, .env or vendor by a link.',
            [
                'https://www.php.net/manual/en/opcache.preloading.php',
                'https://github.com/php/php-src/issues/10477',
                'https://github.com/gordalina/cachetool/issues/259',
            ],
            30,
        );
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(FpmPools::class)
            ->eachMaster(static fn (FpmPool $pool): Finding => self::finding($pool, $facts));
    }

    /** @throws FactUnavailable */
    private static function finding(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $symbols = $runtime->preloaded()->symbols ?? 0;

        if ($symbols === 0) {
            return Finding::skipped('nothing is preloaded');
        }

        $served = $facts->get(ServedApplications::class)->of($pool);
        $evidence = [
            new Evidence('preloaded', "{$symbols} classes and functions", $runtime->source),
            ...array_map(
                static fn (ServedRoot $root): Evidence => new Evidence('application', $root->path, $root->source),
                array_slice($served, 0, 5),
            ),
        ];

        return (count($served) < 2 ? Finding::pass('it serves one application', ...$evidence) : Finding::fail(
            'It preloads, and serves '.TerminalText::count(count($served), 'application').': '
                .implode(
                    ', ',
                    array_map(static fn (ServedRoot $root): string => $root->path, array_slice($served, 0, 5)),
                )
                .'.',
            $evidence,
            'Requests of one application run classes of another.',
            new Fix(
                'Give each application a PHP-FPM of its own: a master with its own configuration, php.ini directory and'
                    .' unit, not one more pool. Until then take opcache.preload out of php.ini and restart PHP-FPM.',
                [],
                [$pool->restart()],
                'Set it back and restart PHP-FPM.',
                'headroom doctor --only=O14',
            ),
        ))->restingOn(Confidence::Observed);
    }
}
