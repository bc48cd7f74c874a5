<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use FilesystemIterator;
use Headroom\Cli\Spool\FlushCommand;
use Headroom\Core\Problem;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\Redaction;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Unit\Spool\Redactor;
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
    public function what_is_not_among_the_sample_is_nowhere_and_in_no_number(): void
    {
        $spool = $this->spool(['sample' => 0]);
        $bucket = $spool->runtime()->buffer()->bucket('api-events');
        $bucket->add(['event' => 'one']);
        $bucket->addMany([['event' => 'two'], ['event' => 'three']]);

        self::assertDirectoryDoesNotExist($spool->path);
        self::assertSame(0, $spool->runtime()->status()->buckets[0]->accepted);
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
    public function a_secret_is_on_no_disk_not_even_in_a_dead_letter_and_in_no_message(): void
    {
        $spool = $this->spool(['redact' => ['password']]);
        $bucket = $spool->runtime()->buffer()->bucket('api-events');
        $bucket->add(['event' => json_encode(['user' => 7, 'password' => 'secret-4711'], JSON_THROW_ON_ERROR)]);
        // No such column: it becomes a dead letter.
        $bucket->addMany([['event' => 'fine'], ['event' => 'bad', 'id' => 'no number', 'password' => ['secret-4711']]]);
        $flushed = $spool->run(FlushCommand::class);

        self::assertSame('{"user":7,"password":"'.Redaction::INSTEAD.'"}', $spool->database()->table('api_events')->value('event'));
        $contents = $this->contents($spool->path);
        self::assertStringContainsString(Redaction::INSTEAD, $contents);
        self::assertStringNotContainsString('secret-4711', $contents.$flushed->all().implode("\n", $spool->logged));
    }

    #[Test]
    public function an_event_that_can_not_be_redacted_is_refused_and_nothing_of_it_is_kept(): void
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
    public function health_names_a_mistake_in_them(): void
    {
        $spool = $this->spool(['redact' => ['App\Gone']]);

        self::assertStringContainsString("Config spool.buckets.api-events.redact.0 is 'App\\Gone'.", implode("\n", array_map(static fn (Problem $problem): string => $problem->message, $spool->problems())));
    }

    /** @param array<string, mixed> $options */
    private function spool(array $options): Spool
    {
        return $this->spool = new Spool(['api-events' => ['sink' => 'database', 'table' => 'api_events', ...$options]]);
    }

    private function contents(string $directory): string
    {
        $contents = '';

        foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($directory, FilesystemIterator::SKIP_DOTS)) as $file) {
            $contents .= $file instanceof SplFileInfo && $file->isFile() ? (string) file_get_contents($file->getPathname()) : '';
        }

        return $contents;
    }
}
