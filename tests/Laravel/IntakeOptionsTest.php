<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use FilesystemIterator;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Core\Finding;
use Headroom\Spool\Append\Redaction;
use Headroom\Spool\InvalidEvent;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Unit\Spool\Append\Redactor;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

/**
 * `sample` and `redact` down to the disk and the table.
 */
final class IntakeOptionsTest extends TestCase
{
    private ?Spool $spool = null;

    protected function tearDown(): void
    {
        $this->spool?->remove();
    }

    #[Test]
    public function an_event_outside_the_sample_is_neither_stored_nor_counted(): void
    {
        $spool = $this->spool(['sample' => 0]);
        $bucket = $spool->runtime()->buffer()->bucket('api-events');
        $bucket->add(['event' => 'one']);
        $bucket->addMany([['event' => 'two'], ['event' => 'three']]);

        self::assertDirectoryDoesNotExist($spool->path);
        self::assertSame(0, $spool->runtime()->status()->buckets[0]->events->accepted);
    }

    #[Test]
    public function each_row_of_many_is_drawn_by_itself_and_the_sum_is_right(): void
    {
        $spool = $this->spool(['sample' => 0.5]);
        $spool->runtime()->buffer()->bucket('api-events')->addMany(array_fill(0, 1_000, ['event' => 'one']));
        $kept = $spool->runtime()->status()->pending();

        self::assertGreaterThan(300, $kept);
        self::assertLessThan(700, $kept);
        self::assertSame(0, $spool->run(FlushCommand::class)->exit);
        self::assertSame($kept, $spool->count());
    }

    #[Test]
    public function a_redacted_secret_is_in_no_file_no_dead_letter_and_no_message(): void
    {
        $spool = $this->spool(['redact' => ['password']]);
        $bucket = $spool->runtime()->buffer()->bucket('api-events');
        $bucket->add(['event' => json_encode(['user' => 7, 'password' => 'secret-4711'], JSON_THROW_ON_ERROR)]);
        // No such column: it becomes a dead letter.
        $bucket->addMany([['event' => 'fine'], ['event' => 'bad', 'id' => 'no number', 'password' => ['secret-4711']]]);
        $flushed = $spool->run(FlushCommand::class);

        self::assertSame(
            '{"user":7,"password":"'.Redaction::REPLACEMENT.'"}',
            $spool->database()->table('api_events')->value('event'),
        );
        $contents = $this->contents($spool->path);
        self::assertStringContainsString(Redaction::REPLACEMENT, $contents);
        self::assertStringNotContainsString('secret-4711', $contents.$flushed->all().implode("\n", $spool->logged));
    }

    #[Test]
    public function an_event_that_cannot_be_redacted_is_refused_and_not_stored(): void
    {
        $spool = $this->spool(['redact' => [[Redactor::class, 'fail']]]);

        try {
            $spool->runtime()->buffer()->bucket('api-events')->addMany([['event' => 'x', 'password' => 'secret-4711']]);
            self::fail('It was taken.');
        } catch (InvalidEvent $e) {
            self::assertStringNotContainsString('secret-4711', (string) $e);
        }

        self::assertDirectoryDoesNotExist($spool->path);
    }

    #[Test]
    public function health_names_a_mistake_in_these_options(): void
    {
        $spool = $this->spool(['redact' => ['App\Gone']]);

        $messages = array_map(static fn (Finding $problem): string => $problem->message, $spool->problems());
        Sentence::assertNames(['spool.buckets.api-events.redact.0', 'App\Gone'], implode("\n", $messages));
    }

    /** @param array<string, mixed> $options */
    private function spool(array $options): Spool
    {
        return $this->spool = new Spool(['api-events' => ['sink' => 'database', 'table' => 'api_events', ...$options]]);
    }

    private function contents(string $directory): string
    {
        $contents = '';

        foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator(
            $directory,
            FilesystemIterator::SKIP_DOTS,
        )) as $file) {
            $contents .= $file instanceof SplFileInfo && $file->isFile()
                ? (string) file_get_contents($file->getPathname())
                : '';
        }

        return $contents;
    }
}
