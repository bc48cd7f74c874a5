<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Illuminate\Filesystem\Filesystem;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Finder\SplFileInfo;

/**
 * Which files artisan's commands leave in the buffer, and the bytes of the state, of the counters and of a dead letter,
 * as docs/spool-format.md gives them. Names and bytes stand here and not as constants of the code, so that a renamed
 * class cannot rename them. Logs are compared byte by byte with tests/Format/golden.
 */
final class FilesOnDiskTest extends ApplicationTestCase
{
    private const STATE = 'buckets/api-events/state';

    private const COUNTERS = 'buckets/api-events/counters';

    protected function setUp(): void
    {
        parent::setUp();
        $this->app->config(
            'spool',
            "['path' => storage_path('app/private/buffer'), 'heartbeats' => false, 'buckets' => ['api-events' =>"
                ." ['sink' => 'database', 'table' => 'api_events']]]",
        );
        $this->app->migrate();
        $this->app->execute('create unique index once on api_events (event)');

        // The second flush refuses the events of the first.
        foreach ([2, 3] as $events) {
            self::assertSame(0, $this->app->artisan('app:buffer', (string) $events)->exit);
            self::assertSame(0, $this->app->artisan('spool:flush')->exit);
        }
    }

    #[Test]
    public function the_buffer_has_the_documented_files(): void
    {
        self::assertSame(0, $this->app->artisan('spool:pause', 'api-events')->exit);
        self::assertSame(0, $this->app->artisan('spool:restart')->exit);
        self::assertSame(0, $this->app->artisan('app:buffer', '1')->exit);

        self::assertSame([
            'buckets/api-events/active/u0-0000.log',
            'buckets/api-events/completed/00000000000000000000.seg',
            'buckets/api-events/counters',
            'buckets/api-events/dead/00000000000000000000-00000000000000000000-00000.json',
            'buckets/api-events/flush.lock',
            'buckets/api-events/history',
            'buckets/api-events/state',
            'logged',
            'node',
            'paused/api-events',
            'restart',
        ], $this->files());
        self::assertMatchesRegularExpression('/\A[0-9a-f]{32}\z/', $this->read('node'));
    }

    #[Test]
    public function the_state_is_a_record_of_the_documented_bytes(): void
    {
        $state = $this->record(self::STATE, "\xF5HS\x01");

        self::assertSame(
            [
                'sealed', 'accepted', 'last_count', 'last_inode', 'cursor', 'delivered', 'dead', 'planned',
                'planned_for', 'checksum', 'flushed_at', 'marks',
            ],
            array_keys($state),
        );
        self::assertSame(
            [2, 5, 3, 2, null],
            [$state['sealed'], $state['accepted'], $state['delivered'], $state['dead'], $state['planned']],
        );
        self::assertIsString($state['cursor']);
        self::assertMatchesRegularExpression('/\A0{19}2-\d{20}-0{5}\z/', $state['cursor']);
    }

    #[Test]
    public function the_counters_are_a_record_of_the_documented_bytes(): void
    {
        $counters = $this->record(self::COUNTERS, "\xF5HC\x01");

        self::assertSame(
            ['direct' => 0, 'dropped' => [], 'refused' => [], 'since' => null, 'incident' => null, 'bypassed' => 0],
            $counters,
        );
    }

    #[Test]
    public function the_history_has_the_documented_bytes(): void
    {
        $bytes = $this->read('buckets/api-events/history');
        self::assertSame(193_024, strlen($bytes));
        $header = "\xF5HH\x01".pack('NNNN', 1_440, 128, 16, 512);
        self::assertSame($header.hash('crc32c', $header, true), substr($bytes, 0, 24));
        [$events, $observed] = [0, 0];

        foreach (str_split(substr($bytes, 8_704), 128) as $place => $slot) {
            if (trim($slot, "\0") !== '') {
                self::assertSame(hash('crc32c', substr($slot, 4), true), substr($slot, 0, 4));
                /** @var array<string, int> $numbers */
                $numbers = unpack('Jminute/Nknown/Jaccepted/J6/N4/Jevents', $slot, 4);
                self::assertSame($place, $numbers['minute'] % 1_440);
                [$events, $observed] = [$events + $numbers['events'], max($observed, $numbers['accepted'])];
            }
        }

        self::assertSame(3, $events);
        self::assertContains($observed, [2, 5]);
    }

    #[Test]
    public function a_dead_letter_is_a_file_of_the_documented_members(): void
    {
        $letters = array_values(array_filter(
            $this->names(),
            static fn (string $name): bool => str_starts_with($name, 'buckets/api-events/dead/'),
        ));
        self::assertCount(2, $letters);
        sort($letters);
        $letter = (array) json_decode($this->read($letters[0]), true, flags: JSON_THROW_ON_ERROR);

        self::assertSame(
            ['format', 'position', 'id', 'accepted_at', 'died_at', 'sink', 'reason', 'line'],
            array_keys($letter),
        );
        self::assertSame(
            [1, basename($letters[0], '.json'), 'database', '{"event":"console-0"}'],
            [$letter['format'], $letter['position'], $letter['sink'], $letter['line']],
        );
        self::assertSame('integer integer', gettype($letter['accepted_at']).' '.gettype($letter['died_at']));
    }

    /** @return array<array-key, mixed> the valid record of the higher generation */
    private function record(string $file, string $magic): array
    {
        $bytes = $this->read($file);
        self::assertSame(8192, strlen($bytes));
        $records = [];

        foreach (str_split($bytes, 4096) as $block => $record) {
            $head = unpack('Jgeneration/Nlength', $record, 4);
            self::assertIsArray($head);
            ['generation' => $generation, 'length' => $length] = $head;
            self::assertIsInt($generation);
            self::assertIsInt($length);

            if ($generation > 0) {
                self::assertSame([$magic, $block], [substr($record, 0, 4), $generation % 2]);
                self::assertSame(
                    hash('crc32c', substr($record, 0, 16 + $length), true),
                    substr($record, 16 + $length, 4),
                );
                self::assertSame('', trim(substr($record, 20 + $length), "\0"));
                $records[$generation] = substr($record, 16, $length);
            }
        }

        ksort($records);

        return (array) json_decode((string) end($records), true, flags: JSON_THROW_ON_ERROR);
    }

    /** @return list<string> with 0 for each digit; each once */
    private function files(): array
    {
        $files = array_unique(array_map(
            static fn (string $name): string => (string) preg_replace(['~/u\d+-~', '~\d~'], ['/u0-', '0'], $name),
            $this->names(),
        ));
        sort($files);

        return $files;
    }

    /** @return list<string> */
    private function names(): array
    {
        return array_values(array_map(
            static fn (SplFileInfo $file): string => $file->getRelativePathname(),
            (new Filesystem)->allFiles($this->app->path('storage/app/private/buffer'), true),
        ));
    }

    private function read(string $name): string
    {
        return $this->app->read("storage/app/private/buffer/{$name}");
    }
}
