<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Markdown;

use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * Does what a reader of a page does, block by block: runs commands in one directory that "cd" changes, opens another
 * terminal where the sentence above names one, writes a file that the first line names, and applies a change to the
 * file that the sentence above names.
 */
final class Walkthrough
{
    private const TERMINAL = '/\b(?:second|third|another) terminal\b/';

    private const SECONDS = 300;

    private const SECONDS_TO_START = 60;

    /** opcache of PHP's own server looks at a file again after two seconds, and a reader is slower than that. */
    private const SECONDS_TO_EDIT = 1;

    /** Where the reader began. */
    private readonly string $home;

    /** @var array<string, Process> that run in other terminals, by the file that has what they print */
    private array $terminals = [];

    private string $output = '';

    /**
     * @param string $directory where the first command runs
     * @param array<string, string|false> $env of every command
     * @param array<string, string> $replaced a text of commands => what stands for it on this machine
     */
    public function __construct(
        private string $directory,
        private readonly array $env = [],
        private array $replaced = [],
    ) {
        $this->home = $directory;
    }

    /** @param list<int> $exits codes with which its commands may end */
    public function follow(CodeBlock $block, array $exits = [0]): void
    {
        match ($block->language) {
            'shell' => preg_match(self::TERMINAL, $block->lead) === 1
                ? $this->open($block)
                : $this->run($block, $exits),
            'php' => $this->write($block),
            'diff' => $this->change($block),
            'text' => $this->compare($block),
            default => throw new RuntimeException("{$block->place()}: a reader cannot follow '{$block->language}'."),
        };
    }

    /** What the last commands printed. */
    public function output(): string
    {
        return $this->output;
    }

    public function replace(string $text, string $by): void
    {
        $this->replaced[$text] = $by;
    }

    /** @return string what the first group of the pattern found in the terminal that was opened last */
    public function awaitInTerminal(string $pattern): string
    {
        $screen = array_key_last($this->terminals) ?? throw new RuntimeException('No terminal is open.');
        $until = hrtime(true) + self::SECONDS_TO_START * 1_000_000_000;

        do {
            $printed = (string) file_get_contents($screen);

            if (preg_match($pattern, (string) preg_replace('/\e\[[\d;]*m/', '', $printed), $found) === 1) {
                return $found[1] ?? $found[0];
            }

            usleep(50_000);
        } while ($this->terminals[$screen]->isRunning() && hrtime(true) < $until);

        throw new RuntimeException("The terminal did not print {$pattern}:\n{$printed}");
    }

    public function directory(): string
    {
        return $this->directory;
    }

    public function closeTerminals(): void
    {
        foreach ($this->terminals as $terminal) {
            $group = $terminal->getPid();

            if ($group !== null) {
                posix_kill(-$group, SIGTERM);
            }

            $terminal->stop(5);
        }

        $this->terminals = [];
    }

    /** @param list<int> $exits */
    private function run(CodeBlock $block, array $exits): void
    {
        $place = "{$this->home}/place";
        $process = new Process(
            ['bash', '-c', "trap 'pwd >\"\$0\"' EXIT\nset -eo pipefail\n{$this->command($block)}", $place],
            $this->directory,
            $this->env,
        );
        $process->setTimeout(self::SECONDS);
        $exit = $process->run();
        $this->output = $process->getOutput().$process->getErrorOutput();
        $this->directory = trim((string) file_get_contents($place));

        if (! in_array($exit, $exits, true)) {
            throw new RuntimeException("{$block->place()} ended with {$exit}:\n{$this->output}");
        }
    }

    /** Its output goes to a file, since a server whose terminal nobody reads stops when the pipe is full. */
    private function open(CodeBlock $block): void
    {
        $screen = $this->home.'/terminal-'.count($this->terminals);
        touch($screen);
        $process = new Process(
            ['setsid', '--wait', 'bash', '-c', 'exec >"$0" 2>&1; '.$this->command($block), $screen],
            $this->directory,
            $this->env,
        );
        $process->setTimeout(null);
        $process->start();
        $this->terminals[$screen] = $process;
    }

    private function command(CodeBlock $block): string
    {
        return rtrim(strtr($block->code, $this->replaced));
    }

    private function write(CodeBlock $block): void
    {
        $file = $block->file()
            ?? throw new RuntimeException("{$block->place()}: the first line does not name the file.");
        $path = "{$this->directory}/{$file}";
        is_dir(dirname($path)) || mkdir(dirname($path), recursive: true);
        file_put_contents($path, str_starts_with($block->code, '<?php') ? $block->code : "<?php\n\n{$block->code}");
    }

    private function change(CodeBlock $block): void
    {
        preg_match_all('/`([\w.\/-]+\.\w+)`/', $block->lead, $files);

        if (count($files[1]) !== 1) {
            throw new RuntimeException("{$block->place()}: the sentence above names not one file: {$block->lead}");
        }

        $path = "{$this->directory}/{$files[1][0]}";
        $before = $after = [];

        foreach (explode("\n", rtrim($block->code, "\n")) as $line) {
            $text = substr($line, 1);

            match ($line === '' ? ' ' : $line[0]) {
                '-' => $before[] = $text,
                '+' => $after[] = $text,
                default => [$before[] = $text, $after[] = $text],
            };
        }

        $lines = (string) file_get_contents($path);
        $found = substr_count("\n{$lines}", "\n".implode("\n", $before)."\n");

        if ($before === [] || $found !== 1) {
            throw new RuntimeException(
                "{$block->place()}: {$files[1][0]} has these lines {$found} times:\n".implode("\n", $before),
            );
        }

        $changed = str_replace("\n".implode("\n", $before)."\n", "\n".implode("\n", $after)."\n", "\n{$lines}");
        file_put_contents($path, substr($changed, 1));
        sleep(self::SECONDS_TO_EDIT);
    }

    /**
     * The output has a line for each line of the block that begins with its first word; a number stands for any number.
     */
    private function compare(CodeBlock $block): void
    {
        foreach (explode("\n", trim($block->code)) as $line) {
            $first = strtok(trim($line), ' ');
            $pattern = preg_replace('/\d+/', '\d[\d.,]*', preg_quote((string) $first, '/'));

            if (preg_match("/^\\s*{$pattern}(?:\\s|$)/m", $this->output) !== 1) {
                throw new RuntimeException("{$block->place()}: no line begins with '{$first}':\n{$this->output}");
            }
        }
    }
}
