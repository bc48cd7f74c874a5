<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console;

use Headroom\Console\TerminalStyles;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Formatter\OutputFormatterStyle;
use Symfony\Component\Console\Output\BufferedOutput;
use Symfony\Component\Process\Process;

/**
 * Colours of reports, and that text from elsewhere has none.
 */
final class TerminalStylesTest extends TestCase
{
    private const LOG =
        '2026/03/14 09:41:07 [error] 1#1: *1 upstream timed out (110: Connection timed out) while reading'
            .' response header from upstream, client: 203.0.113.9, server: shop.test, request:'
            ." \"GET /<fg=red>\e[31m\x9b2J"
            ."</>?page=2 HTTP/1.1\", upstream: \"fastcgi://unix:/run/<error>\e]0;title\x07.sock:\", host:"
            ." \"shop.test\"\n";

    /**
     * @param list<string> $options
     * @param array<string, string|false> $environment
     */
    #[Test]
    #[TestWith([[], [], false])]
    #[TestWith([['--ansi'], [], true])]
    #[TestWith([['--no-ansi'], [], false])]
    #[TestWith([[], ['NO_COLOR' => '1'], false])]
    public function a_pipe_has_colours_only_when_asked_for(array $options, array $environment, bool $isColoured): void
    {
        $text = $this->errorLog($options, $environment);

        self::assertSame($isColoured, str_contains($text, "\e["));
        self::assertStringContainsString('<fg=red>\e[31m', $text);
        self::assertStringContainsString('<error>\e]0;title', $text);
        // Only colours are left, none of them from the log.
        $plain = (string) preg_replace('/\e\[[\d;]+m/', '', $text);
        self::assertSame(0, preg_match('/[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\x9b/', $plain));
        self::assertSame($this->errorLog(['--no-ansi'], []), $plain);
    }

    #[Test]
    public function an_application_keeps_its_own_style(): void
    {
        $output = new BufferedOutput(decorated: true);
        $output->getFormatter()->setStyle('critical', new OutputFormatterStyle('magenta'));

        self::assertSame("\e[35mx\e[39m", TerminalStyles::of($output)->apply('critical', 'x'));
        self::assertSame("\e[32mx <b>\e[39m", TerminalStyles::of($output)->apply('passed', 'x <b>'));
        self::assertSame('x', TerminalStyles::none()->apply('critical', 'x'));
    }

    #[Test]
    public function a_line_has_the_first_style_that_matches(): void
    {
        $styles = TerminalStyles::of(new BufferedOutput(decorated: true));

        self::assertSame(
            ["\e[32ma 1\e[39m", 'b', "\e[33ma 2\e[39m"],
            $styles->paint(['a 1', 'b', 'a 2'], ['/1$/' => 'passed', '/^a/' => 'warning']),
        );
    }

    /**
     * @param list<string> $options
     * @param array<string, string|false> $environment
     */
    private function errorLog(array $options, array $environment): string
    {
        $directory = TemporaryDirectory::create('styles');
        $process = new Process(
            [
                PHP_BINARY,
                __DIR__.'/../../../bin/headroom',
                'logs:error',
                $directory->write('a.log', self::LOG),
                ...$options,
            ],
            env: $environment + ['NO_COLOR' => false, 'FORCE_COLOR' => false],
        );
        $process->run();
        $directory->remove();
        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput());

        return str_replace($directory->path, '', $process->getOutput());
    }
}
