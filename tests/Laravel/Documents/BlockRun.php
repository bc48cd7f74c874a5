<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Documents;

use Closure;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Support\Documents\Languages;
use Headroom\Tests\Support\Documents\Output;
use Headroom\Tests\Support\Documents\PhpCode;
use Headroom\Tests\Support\Documents\PhpShape;
use Headroom\Tests\Support\Documents\Proof;
use Headroom\Tests\Support\Documents\Shell;
use Headroom\Tests\Support\Documents\Verdict;
use Headroom\Tests\Support\Markdown\CodeBlock;

/**
 * Runs one block after the other, by kind.
 */
final class BlockRun
{
    /** What the block above printed. */
    private ?string $printed = null;

    private int $settings = 0;

    /** @param Closure(int): void $configure gets the number of blocks of settings so far */
    public function __construct(
        private readonly DocumentedApplication $application,
        private readonly Languages $languages,
        private readonly Closure $configure,
    ) {}

    public function verdict(CodeBlock $block): Verdict
    {
        $static = $this->languages->check($block);

        if ($static->fault !== '') {
            return $static;
        }

        $before = $this->printed;
        $this->printed = null;

        return match (true) {
            $block->language === 'php' => $this->php($block),
            $block->language === 'shell' => $this->shell($block->code),
            $block->language === 'text' && str_starts_with($block->code, '$ ') => $this->transcript($block->code),
            $block->language === 'text' && $before !== null => self::held($block->code, $before),
            // It was written to the file that it names, and commands and tests have read that.
            $block->file() !== null => Verdict::ran(),
            default => $static,
        };
    }

    private function php(CodeBlock $block): Verdict
    {
        $php = PhpCode::parse($block->code);
        $file = $block->file() ?? '';

        return match (true) {
            $php->shape === PhpShape::Members => Verdict::fault('Show the class around it.'),
            $php->shape === PhpShape::Entries => $this->config($block),
            str_starts_with($file, 'tests/') => $this->ended($this->application->tests($file)),
            str_starts_with($file, 'app/') => $this->ended($this->application->runs(self::loading($php))),
            // Migrated and requested with the whole page.
            preg_match('~\A(?:database/migrations|routes)/~', $file) === 1 => Verdict::ran(),
            $file !== '' => $this->ended($this->application->runs("<?php\n\nrequire base_path('{$file}');\n")),
            default => $this->ended($this->application->runs($php->file())),
        };
    }

    private function config(CodeBlock $block): Verdict
    {
        ($this->configure)(++$this->settings);

        return $this->ended($this->application->accepts($block));
    }

    private function shell(string $code): Verdict
    {
        $notes = $this->application->notes(Shell::NOTES);
        $outcome = $this->application->shell($code);
        $verdict = $this->ended($outcome);

        return $verdict->proof === Proof::Ran && $this->application->notes(Shell::NOTES) !== $notes
            ? Verdict::checked()
            : $verdict;
    }

    private function transcript(string $text): Verdict
    {
        foreach (Shell::transcript($text) as [$command, $shown]) {
            // A transcript may show a command that fails, and how.
            $outcome = $this->application->shell("{$command} || true");
            $fault = $outcome->exit === 0 ? Output::fault($shown, $outcome->all()) : $outcome->all();

            if ($fault !== '') {
                return Verdict::fault("{$command}: {$fault}");
            }
        }

        return Verdict::ran();
    }

    private static function held(string $shown, string $printed): Verdict
    {
        $fault = Output::fault($shown, $printed);

        return $fault === '' ? Verdict::ran() : Verdict::fault($fault);
    }

    private function ended(Outcome $outcome): Verdict
    {
        $this->printed = "{$outcome->out}\n{$outcome->err}";

        if ($outcome->exit === 0) {
            return Verdict::ran();
        }

        $log = mb_strcut($this->application->app->log(), 0, 1000);

        return Verdict::fault("It ended with {$outcome->exit}:\n{$outcome->all()}{$log}");
    }

    private static function loading(PhpCode $php): string
    {
        $lines = array_map(
            static fn (string $class): string => "class_exists('{$class}') || enum_exists('{$class}')"
                ." || throw new LogicException('{$class} is in another file.');",
            $php->declared(),
        );

        return "<?php\n\n".implode("\n", $lines)."\n";
    }
}
