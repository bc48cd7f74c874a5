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
        $app = $facts->get(Application::class)->inProduction();

        yield $app->isOptimized === true
            ? self::judged($facts->get(MissingClasses::class))
            : Finding::skipped('check L6 comes first: the class map is not optimized');
    }

    private static function judged(MissingClasses $missed): Finding
    {
        $count = count($missed->names);
        $example = $count === 0 ? 'none' : TerminalText::name($missed->names[0]);
        $evidence = [
            new Evidence('classes that do not exist', (string) $count, self::SOURCE),
            new Evidence('such as', $example, self::SOURCE),
        ];

        return (match (true) {
            $missed->looksNowhere => Finding::pass('the autoloader does not search for missing classes', ...$evidence),
            $count < self::MIN_CLASSES => Finding::pass('few classes are missing', ...$evidence),
            default => Finding::warn("Composer was asked for {$count} classes that do not exist.", $evidence, new Fix(
                commands: ['composer install --no-dev --classmap-authoritative'],
                rollback: 'Run `composer install --no-dev --optimize-autoloader`.',
            )),
        })->observed();
    }
}
