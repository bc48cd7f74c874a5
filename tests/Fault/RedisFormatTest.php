<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Tests\Fault\Support\Event;
use Headroom\Tests\Fault\Support\RedisTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * A release reads the keys that the previous release left in Redis: docs/redis.md, "The keys". Names and values appear
 * here as they are in Redis and not as the constants of the code, so that a renamed class cannot rename them.
 */
final class RedisFormatTest extends RedisTestCase
{
    private const TIME = '0000000000000000';

    #[Test]
    public function an_append_writes_the_documented_entry_and_keys(): void
    {
        $this->world->buffer()->bucket('events')->addMany([['id' => 'first'], ['id' => 'second']]);
        $this->world->buffer()->bucket('events')->add(['id' => 'third']);

        self::assertSame(
            [
                '{spool:events}:log' => 'stream',
                '{spool:events}:meta' => 'hash',
                '{spool:events}:tokens' => 'set',
                '{spool}:buckets' => 'set',
            ],
            $this->types(),
        );
        self::assertSame(
            [
                ['v', '1', 'n', '2', 't', self::TIME, 's', '2', 'p', "{\"id\":\"first\"}\n{\"id\":\"second\"}"],
                ['v', '1', 'n', '1', 't', self::TIME, 's', '3', 'p', '{"id":"third"}'],
            ],
            array_map(
                fn (mixed $entry): array => $this->masked((array) ((array) $entry)[1], 't'),
                (array) $this->redis->ask('XRANGE', '{spool:events}:log', '-', '+'),
            ),
        );
        self::assertSame(
            ['logged', 'node', 'replication', 'server', 'tokens_at', 'tokens_since'],
            $this->fields('{spool:events}:meta'),
        );
        self::assertSame('3', $this->redis->ask('HGET', '{spool:events}:meta', 'logged'));
        self::assertSame(['events'], $this->redis->ask('SMEMBERS', '{spool}:buckets'));
    }

    #[Test]
    public function a_flush_writes_the_documented_record_letter_and_fields(): void
    {
        $this->world->buffer()->bucket('events')->addMany([Event::of('a'), ['id' => 'bad']]);
        self::assertSame(1, $this->flush()->dead);

        self::assertSame(
            [
                '{spool:events}:dead' => 'hash',
                '{spool:events}:log' => 'stream',
                '{spool:events}:meta' => 'hash',
                '{spool:events}:state' => 'hash',
                '{spool:events}:tokens' => 'set',
                '{spool}:buckets' => 'set',
            ],
            $this->types(),
        );
        self::assertSame(
            [
                'floor_ms', 'floor_seq', 'logged', 'node', 'replication', 'server', 'tokens_at', 'tokens_since',
                'trimmed', 'trimmed_to',
            ],
            $this->fields('{spool:events}:meta'),
        );
        self::assertSame(['record'], $this->fields('{spool:events}:state'));
        self::assertSame(
            [
                'sealed', 'accepted', 'last_count', 'last_inode', 'cursor', 'delivered', 'dead', 'planned',
                'planned_for', 'refused_in_row', 'flushed_at', 'marks',
            ],
            array_keys($this->decoded($this->redis->ask('HGET', '{spool:events}:state', 'record'))),
        );
        $places = $this->fields('{spool:events}:dead');
        self::assertCount(1, $places);
        self::assertMatchesRegularExpression('/\A\d{20}-\d{20}-00001\z/', $places[0]);
        $letter = $this->decoded($this->redis->ask('HGET', '{spool:events}:dead', $places[0]));
        self::assertSame(
            ['format', 'position', 'id', 'accepted_at', 'died_at', 'sink', 'reason', 'line'],
            array_keys($letter),
        );
        self::assertSame(
            [1, $places[0], 'database', '{"id":"bad"}'],
            [$letter['format'], $letter['position'], $letter['sink'], $letter['line']],
        );
    }

    #[Test]
    public function a_bucket_that_was_left_half_delivered_goes_on_at_its_cursor(): void
    {
        self::assertSame(
            1,
            preg_match('/^master_replid:(\w{40})/m', $this->text($this->redis->ask('INFO', 'replication')), $server),
        );
        $line = static fn (string $id): string => json_encode(Event::of($id), JSON_THROW_ON_ERROR);
        $this->redis->ask(
            'XADD',
            '{spool:lines}:log',
            '1795811518067-0',
            'v',
            '1',
            'n',
            '2',
            't',
            '1795811518065498',
            's',
            '2',
            'p',
            "{$line('a')}\n{$line('b')}",
        );
        $this->redis->ask(
            'XADD',
            '{spool:lines}:log',
            '1795811518069-0',
            'v',
            '1',
            'n',
            '1',
            't',
            '1795811518069301',
            's',
            '3',
            'p',
            $line('c'),
        );
        $this->redis->ask(
            'HSET',
            '{spool:lines}:meta',
            'node',
            str_repeat('5', 32),
            'logged',
            '3',
            'replication',
            $server[1],
            'server',
            $server[1],
            'tokens_since',
            '1795811518067',
            'tokens_at',
            '1795811518067',
        );
        $this->redis->ask(
            'HSET',
            '{spool:lines}:state',
            'record',
            '{"sealed":0,"accepted":3,"last_count":0,"last_inode":0,'
                .'"cursor":"00000001795811518067-00000000000000000000-00001","delivered":1,"dead":0,"planned":null,'
                .'"planned_for":"","flushed_at":1795811518157307,"marks":[]}',
        );
        $this->redis->ask('SADD', '{spool}:buckets', 'lines');

        self::assertSame(2, $this->flush('lines')->delivered);
        self::assertSame(['b', 'c'], $this->world->lines());
        $this->assertAccounts(accepted: 3, delivered: 3, pending: 0, bucket: 'lines');
    }

    /** @return array<string, string> by key */
    private function types(): array
    {
        $types = [];

        foreach ((array) $this->redis->ask('KEYS', '*') as $key) {
            $types[$this->text($key)] = $this->text($this->redis->ask('TYPE', $this->text($key)));
        }

        ksort($types);

        return $types;
    }

    /** @return list<string> */
    private function fields(string $key): array
    {
        $fields = array_map($this->text(...), array_values((array) $this->redis->ask('HKEYS', $key)));
        sort($fields);

        return $fields;
    }

    /**
     * @param array<array-key, mixed> $fields
     * @return list<string>
     */
    private function masked(array $fields, string $name): array
    {
        $texts = array_map($this->text(...), array_values($fields));
        $place = (int) array_search($name, $texts, true) + 1;
        $texts[$place] = (string) preg_replace('/\d/', '0', $texts[$place] ?? '');

        return array_values($texts);
    }

    /** @return array<array-key, mixed> */
    private function decoded(mixed $json): array
    {
        return (array) json_decode($this->text($json), true, flags: JSON_THROW_ON_ERROR);
    }

    private function text(mixed $value): string
    {
        self::assertIsString($value);

        return $value;
    }
}
