<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\MissingClasses;
use Headroom\Doctor\Check;
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
    private const MIN_CLASSES = 50;

    private const SOURCE = 'Composer, in this process';

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);

        return [match (true) {
            ! $app->isProduction() => Finding::skipped("the environment is {$app->environment}"),
            $app->isOptimized !== true => Finding::skipped('check L6 comes first: the class map is not optimized'),
            default => self::judged($facts->get(MissingClasses::class)),
        }];
    }

    private static function judged(MissingClasses $missed): Finding
    {
        $count = count($missed->names);
        $example = $count === 0 ? 'none' : TerminalText::name($missed->names[0]);
        $evidence = [
            new Evidence('classes that do not exist', (string) $count, self::SOURCE),
            new Evidence('such as', $example, self::SOURCE),
        ];

        return ($missed->looksNowhere || $count < self::MIN_CLASSES
            ? Finding::pass(
                $missed->looksNowhere
                    ? 'the autoloader does not search for missing classes'
                    : 'few classes are missing',
                ...$evidence,
            )
            : Finding::warn(
                "Composer was asked for {$count} classes that do not exist.",
                $evidence,
                'Each request asks the file system for files that do not exist.',
                new Fix(
                    'Make the class map authoritative, unless the application writes classes while it runs, as some'
                        .' packages do for proxies and mocks.',
                    commands: ['composer install --no-dev --classmap-authoritative'],
                    rollback: 'Run `composer install --no-dev --optimize-autoloader`.',
                ),
            ))->observed();
    }
}
