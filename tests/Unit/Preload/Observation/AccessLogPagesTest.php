<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload\Observation;

use Headroom\Host\Log\UnableToReadLog;
use Headroom\Preload\Observation\AccessLogPages;
use Headroom\Preload\Observation\InvalidPages;
use Headroom\Preload\Page;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Host\Log\Envelope\Envelopes;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

final class AccessLogPagesTest extends DirectoryTestCase
{
    #[Test]
    public function the_most_frequent_targets_come_first_with_their_counts(): void
    {
        self::assertSame(
            ['3 /', '2 /posts', '1 /about?lang=de'],
            $this->pages(['/', '/posts', '/', '/about?lang=de', '/posts', '/']),
        );
    }

    #[Test]
    public function of_one_shape_three_examples_stand_for_all_and_share_their_weight(): void
    {
        $targets = ['/', '/', '/', '/', '/', '/'];

        foreach (range(1, 50) as $number) {
            array_push($targets, "/posts/{$number}?page={$number}");
        }

        array_push($targets, '/posts/7?page=7', '/posts/7?page=7', '/posts/8?page=8', '/posts/9b');

        self::assertSame(
            ['27 /posts/7?page=7', '18 /posts/8?page=8', '9 /posts/10?page=10', '6 /', '1 /posts/9b'],
            $this->pages($targets),
        );
    }

    #[Test]
    public function numbers_uuids_ulids_and_hashes_are_folded_and_words_are_not(): void
    {
        $ids = [];

        foreach (range(0, 9) as $i) {
            array_push(
                $ids,
                "/a/{$i}",
                "/b/3f2504e0-4f89-11d3-9a0c-0305e82c330{$i}",
                "/c/01ARZ3NDEKTSV4RRFFQ69G5FA{$i}",
                '/d/'.md5((string) $i),
                "/e/word{$i}",
            );
        }

        $counts = array_count_values(array_map(
            static fn (string $page): string => substr($page, (int) strpos($page, '/'), 2),
            $this->pages($ids),
        ));
        ksort($counts);
        self::assertSame(['/a' => 3, '/b' => 3, '/c' => 3, '/d' => 3, '/e' => 10], $counts);
    }

    #[Test]
    public function the_order_of_a_query_and_its_values_make_no_other_shape(): void
    {
        $pages = $this->pages(['/s?a=1&b=1', '/s?b=1&a=2', '/s?a=3&b=1', '/s?b=4&a=1', '/s?a=1', '/s']);

        self::assertSame(['1 /s', '1 /s?a=1', '1 /s?a=1&b=1', '1 /s?a=3&b=1', '1 /s?b=1&a=2'], $pages);
    }

    #[Test]
    public function at_most_so_many_are_taken(): void
    {
        self::assertSame(['2 /b', '1 /a'], $this->pages(['/c', '/a', '/b', '/b'], 2));
    }

    #[Test]
    public function other_methods_failures_and_static_files_are_left_out(): void
    {
        mkdir($this->directory->file('public'));
        touch($this->directory->file('public/a b.dat'));
        touch($this->directory->file('public/index.php'));
        $log = $this->log([
            self::line('/posts', 'POST'),
            self::line('/gone', status: '404'),
            self::line('/broken', status: '500'),
            self::line('/app.css?v=3'),
            self::line('/a%20b.dat'),
            self::line('*', 'GET'),
            'rubbish',
            self::line('/moved', status: '302'),
            self::line('/index.php'),
            self::line('/v1.2/users'),
            self::line('/file.dat'),
        ]);

        self::assertSame(
            ['1 /file.dat', '1 /index.php', '1 /moved', '1 /v1.2/users'],
            self::text(AccessLogPages::read($log, 10, $this->directory->file('public'))),
        );
    }

    #[Test]
    public function a_gzipped_log_is_read_as_well(): void
    {
        $log = $this->directory->write('access.log.gz', (string) gzencode(self::line('/posts')."\n"));

        self::assertSame(['1 /posts'], self::text(AccessLogPages::read($log)));
    }

    #[Test]
    #[Group('snapshot')]
    public function a_log_without_a_page_is_told_with_the_lines_that_it_has(): void
    {
        $log = $this->log([
            ...array_fill(0, 2, self::line('/posts', 'POST')),
            ...array_fill(0, 3, self::line('/gone', status: '404')),
            ...array_fill(0, 4, self::line('/app.css')),
            'rubbish',
        ]);

        try {
            AccessLogPages::read($log);
            self::fail('It was taken.');
        } catch (InvalidPages $e) {
            $message = str_replace($log, 'LOG', $e->getMessage(), $count);
            preg_match_all('/\b\d+\b/', $message, $numbers);

            // All lines; then by method, status, kind of file, and those that are not of a log.
            self::assertSame([1, ['10', '2', '3', '4', '1']], [$count, $numbers[0]]);
            Snapshot::assertPrinted('preload pages', 'a log without a page', $e->getMessage());
        }
    }

    #[Test]
    public function a_log_counts_the_same_in_each_envelope(): void
    {
        $targets = ['/posts', '/posts', '/posts?page=2', '/', '/news'];
        $native = $this->pages($targets);
        $lines = array_map(static fn (string $target): array => ['nginx', self::line($target)], $targets);

        foreach ((new Envelopes(4711))->around($lines) as $tool => $file) {
            $log = $this->directory->write('wrapped.log', $file);

            self::assertSame($native, self::text(AccessLogPages::read($log)), $tool);
        }
    }

    #[Test]
    public function another_kind_of_log_is_told_as_what_it_is(): void
    {
        foreach ([
            '[2026-03-02 10:15:01] production.ERROR: x' => 'Laravel',
            '2026/03/02 10:15:01 [error] 1#1: x' => 'nginx',
            "\xFF\xFE2\x000\x00" => 'UTF-16',
        ] as $line => $word) {
            try {
                AccessLogPages::read($this->log([$line]));
                self::fail('It was taken.');
            } catch (InvalidPages $e) {
                self::assertStringContainsString($word, str_replace('access log of nginx', '', $e->getMessage()));
            }
        }
    }

    #[Test]
    public function a_log_that_is_gone_is_told(): void
    {
        $this->expectException(UnableToReadLog::class);
        AccessLogPages::read($this->directory->file('gone'));
    }

    /**
     * @param list<string> $targets
     * @return list<string> weight and target
     */
    private function pages(array $targets, int $most = 200): array
    {
        return self::text(AccessLogPages::read($this->log(array_map(self::line(...), $targets)), $most));
    }

    /** @param list<string> $lines */
    private function log(array $lines): string
    {
        return $this->directory->write('access.log', implode("\n", $lines)."\n");
    }

    private static function line(string $target, string $method = 'GET', string $status = '200'): string
    {
        return "127.0.0.1 - - [10/Oct/2025:13:55:36 +0000] \"{$method} {$target} HTTP/1.1\" {$status} 12"
            .' "-" "curl"';
    }

    /**
     * @param list<Page> $pages
     * @return list<string>
     */
    private static function text(array $pages): array
    {
        return array_map(static fn (Page $page): string => "{$page->weight} {$page->target}", $pages);
    }
}
