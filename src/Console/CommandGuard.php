<?php

declare(strict_types=1);

namespace Headroom\Console;

use Closure;
use Headroom\Core\HeadroomException;
use Headroom\Spool\InvalidBucket;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\ExceptionInterface;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Throwable;

/**
 * Maps exceptions to exit codes, 2 for wrong usage and 1 for a failure. Prints them as one line without a stack trace,
 * or as JSON if the command was called with --json.
 *
 * @internal
 */
final readonly class CommandGuard
{
    /** @param ?InputInterface $input of a command that has --json */
    public function __construct(private OutputInterface $output, private ?InputInterface $input = null) {}

    /** @param Closure(OutputInterface): int $run gets the output to print to */
    public function guard(Closure $run): int
    {
        return self::withCheckedOutput(
            $this->output,
            fn (OutputInterface $output): int => (new self($output, $this->input))->attempt($run),
        );
    }

    /**
     * @param Closure(OutputInterface): int $run
     * @return int the exit code of $run; 1 instead of 0 if output was lost
     */
    public static function withCheckedOutput(OutputInterface $output, Closure $run): int
    {
        $checked = CheckedOutput::of($output);
        $exit = $run($checked ?? $output);

        if ($checked?->failure === null) {
            return $exit;
        }

        (new self($checked))->error("The output could not be written: {$checked->failure}.");

        return $exit === Command::SUCCESS ? Command::FAILURE : $exit;
    }

    /** @param Closure(OutputInterface): int $run */
    private function attempt(Closure $run): int
    {
        try {
            return PhpRestrictions::within(fn (): int => $run($this->output));
        } catch (ExceptionInterface|InvalidBucket $e) {
            return $this->refuse($e->getMessage(), Command::INVALID);
        } catch (HeadroomException $e) {
            return $this->refuse($e->getMessage(), Command::FAILURE);
        } catch (Throwable $e) {
            // A program that reads JSON must get JSON. Otherwise the application's exception handler prints more.
            return $this->isJson() ? $this->refuse($e->getMessage(), Command::FAILURE) : throw $e;
        }
    }

    public function error(string $message): void
    {
        $errors = $this->output instanceof ConsoleOutputInterface ? $this->output->getErrorOutput() : $this->output;
        // Errors are printed with --quiet, too.
        $line = OutputFormatter::escape(TerminalText::line($message));
        $errors->writeln("<error>{$line}</error>", OutputInterface::VERBOSITY_QUIET);
    }

    public function fail(string $message): int
    {
        return $this->refuse($message, Command::FAILURE);
    }

    public function usageError(string $message): int
    {
        return $this->refuse($message, Command::INVALID);
    }

    public function refuse(string $message, int $exit): int
    {
        $this->isJson() ? (new JsonOutput($this->output))->print(['error' => $message]) : $this->error($message);

        return $exit;
    }

    /** Reads the raw arguments, since the error may be that they do not match the definition. */
    private function isJson(): bool
    {
        return $this->input?->hasParameterOption('--json', true) === true;
    }
}
