<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\MissingServer;
use Headroom\Tests\Support\Redis\Patience;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * `headroom doctor:top` in a terminal that has a size, changes it, and is used afterwards: that of tmux.
 */
final class TopInTerminalTest extends TestCase
{
    private TemporaryDirectory $directory;

    private string $tmux;

    protected function setUp(): void
    {
        $this->tmux = Programs::optional('tmux')
            ?? MissingServer::named('tmux', 'tmux is not installed: bin/services install tmux');
        $this->directory = TemporaryDirectory::create('tmux');
        $this->tmux('new-session', '-d', '-x', '100', '-y', '30', 'env', 'PS1=ready> ', 'TERM=screen', '/bin/sh');
        $this->awaitScreen('ready>');
    }

    protected function tearDown(): void
    {
        if (isset($this->directory)) {
            (new Process([$this->tmux, '-S', $this->directory->file('socket'), 'kill-server']))->run();
            $this->directory->remove();
        }
    }

    /** @return iterable<string, array{string}> */
    public static function keys(): iterable
    {
        yield 'q' => ['q'];
        yield 'Ctrl-C' => ['C-c'];
    }

    #[Test, Group('day-1')]
    #[DataProvider('keys')]
    public function it_fills_the_terminal_follows_its_size_and_gives_it_back(string $key): void
    {
        $stack = new Stack(fpm: ['[www]' => '[shown]']);
        $waiting = $stack->slow(4, 25.0);
        $before = $this->modes('before');
        $this->type(
            'clear; '.escapeshellarg(PHP_BINARY).' '.escapeshellarg(dirname(__DIR__, 3).'/bin/headroom')
                .' doctor:top --pool=shown --every=0.2; echo "ended $?"',
        );
        $isAsleep = static fn (string $screen): bool => preg_match('/^  4 \w+ *\n  4 \w+ *\n +\d/m', $screen) === 1;
        $wide = $this->awaitScreen('pool shown', $isAsleep);

        self::assertSame('1', $this->asked('#{alternate_on}'));
        self::assertMatchesRegularExpression('/\Apool shown \(static, 4 .*\b0 \D+\b511 /', $wide);
        self::assertSame(1, substr_count($wide, 'pool shown'), $wide);
        self::assertMatchesRegularExpression('~^ +\d+\.\d s  pid \d+ +sleeping +GET /~m', $wide);

        // One line of the pool is still one line of the terminal, cut at its edge; what has no room below is left out.
        $this->tmux('resize-window', '-x', '40', '-y', '4');
        $narrow = $this->awaitScreen(
            'pool shown (static, 4 ',
            static fn (string $screen): bool => substr_count($screen, "\n") === 4,
        );
        self::assertMatchesRegularExpression(
            '~\Apool shown.{29}\n  4 \w+ *\n  4 \w+ *\n +\d+\.\d s  pid .{1,20}\n\z~',
            $narrow,
        );

        $this->tmux('resize-window', '-x', '120', '-y', '20');
        $this->awaitScreen(
            'pool shown',
            static fn (string $screen): bool => substr_count($screen, ' s  pid ') === 4 && $isAsleep($screen),
        );

        $this->tmux('send-keys', $key);
        $after = $this->awaitScreen('ended 0');

        // The last look stays; the terminal is what it was.
        self::assertTrue($isAsleep($after), $after);
        self::assertSame(
            ['0', '1', '1'],
            [$this->asked('#{alternate_on}'), $this->asked('#{cursor_flag}'), $this->asked('#{wrap_flag}')],
        );
        self::assertSame($before, $this->modes('after'));
        self::assertCount(4, $waiting);
    }

    private function modes(string $name): string
    {
        $file = $this->directory->file($name);
        $this->type(
            'stty -g > '.escapeshellarg("{$file}.new").' && mv '.escapeshellarg("{$file}.new").' '
                .escapeshellarg($file),
        );
        Patience::until(static fn (): bool => file_exists($file), "the shell writes {$file}");

        return (string) file_get_contents($file);
    }

    private function type(string $line): void
    {
        $this->tmux('send-keys', '-l', $line);
        $this->tmux('send-keys', 'Enter');
    }

    private function asked(string $format): string
    {
        return trim($this->tmux('display-message', '-p', $format));
    }

    /** @param ?callable(string): bool $isRight */
    private function awaitScreen(string $text, ?callable $isRight = null): string
    {
        $screen = '';

        try {
            Patience::until(function () use ($text, $isRight, &$screen): bool {
                $screen = $this->tmux('capture-pane', '-p');

                return str_contains($screen, $text) && ($isRight === null || $isRight($screen));
            }, "'{$text}' in the terminal");
        } catch (RuntimeException $e) {
            self::fail("{$e->getMessage()}, which shows:\n{$screen}");
        }

        return $screen;
    }

    private function tmux(string ...$command): string
    {
        return (new Process(
            [$this->tmux, '-S', $this->directory->file('socket'), '-f', '/dev/null', ...array_values($command)],
            timeout: 20,
        ))->mustRun()->getOutput();
    }
}
