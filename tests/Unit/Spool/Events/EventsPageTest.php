<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Events;

use Headroom\Core\Permanent;
use Headroom\Core\Retryable;
use Headroom\Spool\UnableToFlush;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use ReflectionClass;
use Throwable;

/**
 * docs/events.md names each event with its members, and each exception with its members and its interface.
 */
final class EventsPageTest extends TestCase
{
    private const ROOT = __DIR__.'/../../../..';

    /** @return iterable<string, array{class-string}> */
    public static function events(): iterable
    {
        foreach ((array) glob(self::ROOT.'/src/Spool/Events/*.php') as $file) {
            $name = basename((string) $file, '.php');
            /** @var class-string $class */
            $class = "Headroom\\Spool\\Events\\{$name}";

            yield $name => [$class];
        }
    }

    /** @param class-string $class */
    #[Test]
    #[DataProvider('events')]
    public function the_page_has_each_event_with_its_members(string $class): void
    {
        $event = new ReflectionClass($class);
        $page = (string) file_get_contents(self::ROOT.'/docs/events.md');
        preg_match("/^### `{$event->getShortName()}`\n\n\S.+?\n\nMembers: (.+?)\.\n\n/ms", $page, $section);
        preg_match_all('/`(\w+)`/', explode(': ', $section[1] ?? '')[0], $members);

        foreach ($event->getProperties() as $property) {
            self::assertContains($property->getName(), $members[1]);
        }

        self::assertTrue($event->isFinal() && $event->isReadOnly());
    }

    #[Test]
    public function the_page_has_each_exception_that_a_caller_can_catch(): void
    {
        $page = (string) file_get_contents(self::ROOT.'/docs/events.md');
        $registry = (string) file_get_contents(self::ROOT.'/docs/public-api.md');
        preg_match('/^## To catch$(.*?)^## /ms', $registry, $section);
        preg_match_all('/^\| `(Headroom\\\\[\\w\\\\]+)`/m', $section[1] ?? '', $classes);
        self::assertGreaterThan(20, count($classes[1]));

        foreach ($classes[1] as $name) {
            self::assertTrue(class_exists($name) || interface_exists($name), $name);
            $class = new ReflectionClass($name);
            self::assertStringContainsString($class->getShortName(), $page, $name);

            if ($class->isInterface() || ! $class->implementsInterface(Throwable::class)) {
                continue;
            }

            $kind = match (true) {
                $class->implementsInterface(Retryable::class) => 'retryable',
                $class->implementsInterface(Permanent::class) => 'permanent',
                default => 'neither',
            };

            if ($class->implementsInterface(UnableToFlush::class)) {
                self::assertMatchesRegularExpression(
                    "/^These classes are {$kind};(?:(?!^These|^All).)*?^- `{$class->getShortName()}`: /ms",
                    $page,
                );
            } else {
                self::assertMatchesRegularExpression(
                    "/^### `{$class->getShortName()}`\n\n`[^`]+`, {$kind}\\./m",
                    $page,
                );
            }
        }
    }
}
