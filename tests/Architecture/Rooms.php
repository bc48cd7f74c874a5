<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPat\Selector\Selector;
use PHPat\Selector\SelectorInterface;

/**
 * The rooms of src/ and their doors, as phpat selects them.
 */
final readonly class Rooms
{
    public const NAMES = [
        'Bench', 'Charts', 'Collector', 'Console', 'Core', 'Doctor', 'Host', 'Http', 'Laravel', 'Load', 'Preload',
        'Process', 'Report', 'Sink', 'Spool',
        'Support', 'Testing',
    ];

    public const SINK_ADAPTERS = ['Callback', 'ClickHouse', 'Database', 'Elasticsearch', 'File', 'Http', 'Memory'];

    public const REDIS_CLIENT = '/^(Redis[A-Za-z]*|Relay\\\\.+|Predis\\\\.+)$/';

    private const DOOR = '/^Headroom\\\\%s\\\\[^\\\\]+$/';

    public static function room(string $name): SelectorInterface
    {
        return Selector::inNamespace('Headroom\\'.$name);
    }

    /** @return list<SelectorInterface> */
    public static function all(string ...$names): array
    {
        return array_map(self::room(...), array_values($names));
    }

    /** The classes that stand directly in the room, not in a folder of it. */
    public static function door(string $name): SelectorInterface
    {
        return Selector::classname(sprintf(self::DOOR, $name), true);
    }

    /**
     * The folders of Spool that other rooms put together a buffer of.
     *
     * @return list<SelectorInterface>
     */
    public static function spoolSeams(): array
    {
        return self::all('Spool\Append', 'Spool\Encoding', 'Spool\Services', 'Spool\Store');
    }

    public static function anyDoor(): SelectorInterface
    {
        return Selector::classname(sprintf(self::DOOR, '(?!Console\\\\|Laravel\\\\)[A-Za-z]+'), true);
    }

    public static function sinkAdapters(): SelectorInterface
    {
        return Selector::classname('/^Headroom\\\\Sink\\\\[^\\\\]+\\\\/', true);
    }

    public static function symfony(string $component): SelectorInterface
    {
        return Selector::inNamespace("Symfony\\Component\\{$component}");
    }

    public static function redisClient(): SelectorInterface
    {
        return Selector::classname(self::REDIS_CLIENT, true);
    }
}
