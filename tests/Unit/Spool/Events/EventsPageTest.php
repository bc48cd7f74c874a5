<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Events;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use ReflectionClass;

/**
 * docs/events.md names each event with its members.
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
        preg_match("/^\\| [^|]*`{$event->getShortName()}`[^|]*\\|[^|]*\\|(.*)\\|$/m", $page, $row);
        preg_match_all('/`(\w+)`/', explode(': ', $row[1] ?? '')[0], $members);

        foreach ($event->getProperties() as $property) {
            self::assertContains($property->getName(), $members[1]);
        }

        self::assertTrue($event->isFinal() && $event->isReadOnly());
    }
}
