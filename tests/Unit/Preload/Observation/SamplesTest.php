<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload\Observation;

use Headroom\Preload\Observation\InvalidSamples;
use Headroom\Preload\Observation\Sample;
use Headroom\Preload\Observation\Samples;
use Headroom\Preload\Observation\UnableToSample;
use Headroom\Preload\Page;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

final class SamplesTest extends DirectoryTestCase
{
    #[Test]
    public function nothing_was_seen_where_there_is_no_directory(): void
    {
        self::assertTrue((new Samples($this->directory->file('none')))->merged()->isEmpty());
        self::assertDirectoryDoesNotExist($this->directory->file('none'));
    }

    #[Test]
    public function samples_add_up_and_outlive_the_object(): void
    {
        $this->samples()->add(new Sample(['A', 'B'], null, 'posts/{post}', '/posts/1'));
        $this->samples()->add(new Sample(['A'], null, 'posts/{post}', '/posts/1'));
        $this->samples()->add(new Sample(['A'], null, null, '/about'));
        $this->samples()->add(new Sample(['A']));
        $observed = $this->samples()->merged();

        self::assertSame([4, ['A' => 4, 'B' => 1]], [$observed->requests, $observed->uses]);
        self::assertSame([1.0, 0.25, 0.0], [$observed->shareOf('A'), $observed->shareOf('B'), $observed->shareOf('C')]);
        self::assertEquals([new Page('GET', '/posts/1', weight: 2), new Page('GET', '/about')], $observed->pages);
        self::assertGreaterThan(1_700_000_000, $observed->since);
    }

    #[Test]
    public function classes_that_a_preloading_php_saw_are_kept_apart(): void
    {
        $this->samples()->add(new Sample(['A', 'B']));
        $this->samples()->add(new Sample(['C'], ['A', 'D']));
        $this->samples()->add(new Sample([], ['A']));
        $this->samples()->add(null);
        $observed = $this->samples()->merged();

        self::assertSame([1, 2, 1], [$observed->requests, $observed->afterPreload, $observed->discarded]);
        self::assertSame(
            [['A' => 1, 'B' => 1], ['C' => 1], ['A' => 2, 'D' => 1]],
            [$observed->uses, $observed->usesAfterPreload, $observed->preloaded],
        );
        self::assertSame([1.0, 0.5, 0.0], [$observed->shareOf('A'), $observed->shareOf('C'), $observed->shareOf('D')]);
    }

    #[Test]
    public function nodes_of_any_name_are_added_up(): void
    {
        $this->samples('web1.example.com')->add(new Sample(['A']));
        $this->samples('../web 2/ü')->add(new Sample(['A', 'B'], null, 'x', '/x'));
        $this->samples('..')->add(new Sample(['B']));
        $names = array_values(array_filter(
            (array) scandir($this->directory->path),
            static fn (string|false $name): bool => str_ends_with((string) $name, '.json'),
        ));

        self::assertSame(['_web_2_.json', 'unknown.json', 'web1.example.com.json'], $names);
        self::assertSame(
            [3, ['A' => 2, 'B' => 2]],
            [$this->samples()->merged()->requests, $this->samples()->merged()->uses],
        );
    }

    #[Test]
    public function a_sample_does_not_wait_for_another_one_and_is_counted(): void
    {
        $this->samples()->add(new Sample(['A']));
        $lock = fopen($this->directory->file('web1.lock'), 'c');
        self::assertNotFalse($lock);
        flock($lock, LOCK_EX);

        self::assertFalse($this->samples()->add(new Sample(['A'])));
        self::assertFalse($this->samples()->add(new Sample(['A'])));
        fclose($lock);
        self::assertTrue($this->samples()->add(new Sample(['A'])));
        self::assertSame([2, 2], [$this->samples()->merged()->requests, $this->samples()->merged()->busy]);
    }

    #[Test]
    public function the_dates_are_of_the_first_and_the_last(): void
    {
        $clock = new ManualClock;
        $samples = new Samples($this->directory->path, 'web1', $clock);
        $samples->add(new Sample([]));
        $first = intdiv($clock->micros(), 1_000_000);
        $clock->sleep(60_000_000);
        $samples->add(new Sample([]));

        self::assertSame([$first, $first + 60], [$samples->merged()->since, $samples->merged()->until]);
    }

    #[Test]
    public function classes_without_room_are_counted(): void
    {
        $names = array_map(static fn (int $number): string => "C{$number}", range(1, 20_005));
        $this->samples()->add(new Sample([...$names, str_repeat('x', 600), "C\xe9"]));
        $this->samples()->add(new Sample(['C1']));
        $observed = $this->samples()->merged();

        self::assertSame([20_000, 5 + 2], [count($observed->uses), $observed->leftOut]);
        self::assertSame(2, $observed->uses['C1']);
    }

    #[Test]
    public function of_routes_and_pages_only_so_many_are_kept(): void
    {
        $samples = $this->samples();

        foreach (range(1, 40) as $number) {
            $samples->add(new Sample([], null, 'posts/{post}', "/posts/{$number}"));
        }

        $samples->add(new Sample([], null, 'posts/{post}', '/posts/8'));
        self::assertSame(
            ['/posts/8' => 21, '/posts/1' => 10, '/posts/10' => 10],
            array_column(
                array_map(static fn (Page $page): array => [$page->target, $page->weight], $samples->merged()->pages),
                1,
                0,
            ),
            'The weight of all 41 is shared, to the nearest.',
        );
        // So that this test is quick, the file of a node with many routes is made by hand.
        $file = $this->directory->file('web1.json');
        $values = (array) json_decode((string) file_get_contents($file), true);
        $values['pages'] = array_combine(
            array_map(static fn (int $number): string => "r{$number}", range(1, 1_000)),
            array_map(
                static fn (int $number): array => ['requests' => $number, 'targets' => ["/r{$number}" => $number]],
                range(1, 1_000),
            ),
        );
        file_put_contents($file, json_encode($values));
        $samples->add(new Sample([], null, 'one/more', '/one/more'));
        $observed = $samples->merged();

        self::assertSame(
            [200, '/r1000', 1],
            [count($observed->pages), $observed->pages[0]->target, $observed->leftOut],
        );
    }

    #[Test]
    #[TestWith(['', null])]
    #[TestWith(['{"kind":"samples of headroom', null])]
    #[TestWith(['{"a":1}', null])]
    #[TestWith(['{"kind":"samples of headroom:preload","version":2}', 'version'])]
    #[TestWith(['{"kind":"samples of headroom:preload","version":1,"requests":-1}', 'requests'])]
    #[TestWith(['{"kind":"samples of headroom:preload","version":1,"requests":1,"uses":{"A":"1"}}', 'uses'])]
    #[TestWith([
        '{"kind":"samples of'
            .' headroom:preload","version":1,"requests":1,"uses":{"A":1},"after_preload":0,"uses_after_preload":{},'
            .'"preloaded":[0]}',
        'preloaded',
    ])]
    #[TestWith([
        '{"kind":"samples of'
            .' headroom:preload","version":1,"requests":1,"uses":{"A":1},"after_preload":0,"uses_after_preload":{},'
            .'"preloaded":[],"pages":{"r":{"requests":1,"targets":{"/":0}}}}',
        'pages',
    ])]
    public function a_file_of_something_else_is_named_and_set_aside(string $text, ?string $field): void
    {
        $file = $this->directory->write('web1.json', $text);

        try {
            $this->samples()->merged();
            self::fail('It was taken.');
        } catch (InvalidSamples $e) {
            self::assertStringContainsString(match ($field) {
                null => InvalidSamples::foreign($file, $text)->getMessage(),
                'version' => InvalidSamples::version($file, 2, 1)->getMessage(),
                default => "'{$field}'",
            }, $e->getMessage());
            self::assertSame($file, $e->pathOfFile);
        }

        self::assertTrue($this->samples()->add(new Sample(['A'])));
        self::assertSame(1, $this->samples()->merged()->requests);
        self::assertSame([$this->directory->file('web1.broken')], $this->samples()->setAside());
        self::assertStringEqualsFile($this->directory->file('web1.broken'), $text);
    }

    #[Test]
    public function a_file_that_a_killed_process_left_unfinished_is_overwritten(): void
    {
        $this->directory->write('web1.new', '{"half');
        $this->samples()->add(new Sample(['A']));

        self::assertSame(1, $this->samples()->merged()->requests);
        self::assertFileDoesNotExist($this->directory->file('web1.new'));
    }

    #[Test]
    public function a_directory_that_cannot_be_made_is_told_with_the_reason(): void
    {
        $file = $this->directory->write('file', '');
        set_error_handler(static fn (): bool => true);

        try {
            (new Samples("{$file}/below"))->add(new Sample([]));
            self::fail('It was made.');
        } catch (UnableToSample $e) {
            self::assertEquals(
                UnableToSample::directory("{$file}/below", 'Not a directory')->getMessage(),
                $e->getMessage(),
            );
        } finally {
            restore_error_handler();
        }
    }

    #[Test]
    public function a_file_that_cannot_be_written_is_reported(): void
    {
        mkdir($this->directory->file('web1.new'));
        $this->expectExceptionObject(UnableToSample::file($this->directory->file('web1.new'), 'Is a directory'));
        $this->samples()->add(new Sample([]));
    }

    #[Test]
    public function nodes_that_come_and_go_do_not_fill_the_directory(): void
    {
        for ($node = 0; $node < 256; $node++) {
            touch($this->directory->file("pod{$node}.json"));
        }

        $this->expectExceptionObject(UnableToSample::tooManyNodes($this->directory->path, 256, 256));
        $this->samples()->add(new Sample([]));
    }

    #[Test]
    public function the_state_of_a_directory_tells_its_owner_and_mode(): void
    {
        $none = $this->directory->file('none');
        self::assertStringContainsString($none, (new Samples($none))->access());
        self::assertStringNotContainsString('root', (new Samples($none))->access());
        mkdir($this->directory->file('some'));
        chmod($this->directory->file('some'), 0o2750);
        $state = (new Samples($this->directory->file('some')))->access();
        $account = static fn (string $name): string => trim((string) shell_exec("id {$name}"));

        self::assertStringContainsString($account('-un').':'.$account('-gn'), $state);
        self::assertStringContainsString('02750', $state);
    }

    private function samples(string $node = 'web1'): Samples
    {
        return new Samples($this->directory->path, $node);
    }
}
