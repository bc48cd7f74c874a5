<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Console\Logs\LogsErrorCommand;
use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Doctor\Fpm\Eventually;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Acceptance\Host\Site;
use Headroom\Tests\Unit\Host\Log\Envelope\Envelopes;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * Scripts that a real PHP-FPM ends, with the configuration of its image: what children write has neither date nor pool.
 */
#[Group('logs')]
final class FatalsOfFpmTest extends TestCase
{
    private const FRONT = <<<'PHP'
        <?php
        switch ($_SERVER['QUERY_STRING']) {
            case 'memory':
                for ($all = []; ; $all[] = str_repeat('x', 100_000));
            case 'time':
                set_time_limit(1);
                for (; ; md5('x'));
            case 'exception':
                throw new RuntimeException("first line\nsecond line");
        }
        PHP;

    private TemporaryDirectory $directory;

    private ?WebStack $stack = null;

    protected function setUp(): void
    {
        Needs::webStack();
        $this->directory = TemporaryDirectory::create('fatals');
    }

    protected function tearDown(): void
    {
        $this->stack?->stop();

        if (isset($this->directory)) {
            $this->directory->remove();
        }
    }

    #[Test]
    public function limits_and_exceptions_are_found_in_the_logs_of_both_and_in_each_envelope(): void
    {
        chmod($this->directory->path, 0o755);
        $front = $this->directory->write('index.php', self::FRONT);
        chmod($front, 0o644);
        $this->stack = WebStack::start(new WebConfig(
            $front,
            2,
            ini: ['memory_limit' => '16M', 'log_errors' => true, 'display_errors' => false],
        ));

        foreach (['memory', 'memory', 'time', 'exception'] as $what) {
            Site::get("{$this->stack->url()}/?{$what}");
        }

        $expected = ['php_fatal' => 1, 'php_memory_limit' => 2, 'php_time_limit' => 1];

        foreach (['fpm.log', 'nginx.log'] as $name) {
            $log = $this->stack->file($name);
            // The master writes what it gets from a child a moment later.
            Eventually::true(fn (): bool => $this->kinds($log) === $expected);
            $text = (string) file_get_contents($log);
            $lines = array_map(static fn (string $line): array => ['php', $line], explode("\n", rtrim($text, "\n")));

            foreach ((new Envelopes(4711))->around($lines) as $tool => $file) {
                self::assertSame(
                    $expected,
                    $this->kinds($this->directory->write('wrapped.log', $file)),
                    "{$name}, {$tool}:\n{$file}",
                );
            }
        }
    }

    /** @return array<string, int> those of PHP */
    private function kinds(string $file): array
    {
        $tester = new CommandTester(new LogsErrorCommand);
        $tester->execute(['file' => [$file], '--json' => true]);
        $document = json_decode($tester->getDisplay(), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($document);
        self::assertIsArray($document['kinds']);
        $kinds = [];

        foreach (array_column($document['kinds'], 'count', 'kind') as $kind => $count) {
            self::assertIsInt($count);

            if (str_starts_with((string) $kind, 'php_')) {
                $kinds[(string) $kind] = $count;
            }
        }

        ksort($kinds);

        return $kinds;
    }
}
