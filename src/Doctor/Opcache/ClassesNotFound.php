<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\MissedClasses;
use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Support\TerminalText;

/**
 * @internal
 */
final readonly class ClassesNotFound implements Check
{
    private const MANY = 50;

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}")];
        }

        if ($app->isOptimized !== true) {
            return [Finding::skipped('check L6 comes first: the class map is not optimized, or not there')];
        }

        $missed = $facts->get(MissedClasses::class);
        $count = count($missed->names);
        $evidence = [
            new Evidence('classes that are not there', (string) $count, 'Composer, in this process of artisan'),
            new Evidence(
                'such as',
                $count === 0 ? 'none' : TerminalText::name($missed->names[0]),
                'Composer, in this process of artisan',
            ),
        ];

        return [
            ($missed->looksNowhere || $count < self::MANY ? Finding::pass(
                $missed->looksNowhere ? 'it does not look for their files' : 'they are few',
                ...$evidence,
            ) : Finding::warn(
                "Composer was asked for {$count} classes that are not there.",
                $evidence,
                'Each request asks the file system for files that are not there.',
                new Fix(
                    'Let the class map be all there is. Not where classes are written while the application runs,'
                        .' as by some packages for proxies and mocks.',
                    [],
                    ['composer install --no-dev --classmap-authoritative'],
                    'composer install --no-dev --optimize-autoloader',
                    'php artisan headroom:doctor --only=O12',
                ),
            ))->restingOn(Confidence::Observed),
        ];
    }
}
