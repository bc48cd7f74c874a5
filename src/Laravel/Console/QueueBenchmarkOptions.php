<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Closure;
use Headroom\Bench\Queues\BenchOptions;
use Headroom\Bench\Queues\Scenarios\Scenario;
use Headroom\Console\NumericOptions;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputInterface;

/**
 * The options of headroom:bench:queues, which compares queue drivers.
 *
 * @internal
 */
final readonly class QueueBenchmarkOptions
{
    /** With more workers, boot time and memory would dominate the figures. */
    private const MAX_WORKERS = 256;

    /** More jobs are probably a typing error, and would take about ten gigabytes in the queue. */
    private const MAX_JOBS = 10_000_000;

    public function __construct(private InputInterface $input) {}

    public function options(): BenchOptions
    {
        $numbers = new NumericOptions($this->input);
        $usual = new BenchOptions;

        return new BenchOptions(
            $numbers->positive('jobs', self::MAX_JOBS) ?? $usual->jobs,
            $numbers->natural('seconds') ?? $usual->seconds,
            $numbers->positive('workers', self::MAX_WORKERS) ?? $usual->workers,
            $numbers->positive('runs') ?? $usual->runs,
            $numbers->positive('deep', self::MAX_JOBS) ?? $usual->deep,
        );
    }

    /** Whether the command line sets the number of workers. */
    public function hasWorkers(): bool
    {
        return $this->input->getOption('workers') !== null;
    }

    /** Checks before the measurement that the report can be written. */
    public function report(): ?string
    {
        $file = $this->input->getOption('html');

        if (! is_string($file)) {
            return null;
        }

        return is_file($file)
            ? (is_writable($file) ? $file : throw self::unwritable($file))
            : (is_dir(dirname($file)) && is_writable(dirname($file)) && ! is_dir($file)
                ? $file
                : throw self::unwritable($file));
    }

    private static function unwritable(string $file): InvalidOptionException
    {
        return new InvalidOptionException(
            "--html is '{$file}', which cannot be written. It must be a file in an existing directory.",
        );
    }

    /** @return non-empty-list<Scenario> */
    public function scenarios(): array
    {
        $names = $this->list('scenario');
        $known = array_map(static fn (Scenario $scenario): string => $scenario->value, Scenario::cases());

        if (in_array('all', $names, true)) {
            return Scenario::cases();
        }

        $scenarios = array_map(
            static fn (string $name): Scenario => Scenario::tryFrom($name) ?? throw new InvalidOptionException(
                "--scenario is '{$name}'. It must be one of ".implode(', ', $known).', or all.',
            ),
            $names,
        );

        return $scenarios === [] ? [Scenario::Empty] : $scenarios;
    }

    /**
     * @param Closure(): list<string> $usual
     * @return list<string>
     */
    public function drivers(Closure $usual): array
    {
        $names = $this->list('drivers');

        return $names === [] ? $usual() : $names;
    }

    /**
     * Values may be separated by commas, and the option may be repeated.
     *
     * @return list<string> empty without the option
     *
     * @throws InvalidOptionException
     */
    private function list(string $option): array
    {
        $values = (array) $this->input->getOption($option);
        $names = array_map(trim(...), explode(',', implode(',', array_filter($values, is_string(...)))));

        $names = array_values(array_unique(array_filter($names, static fn (string $name): bool => $name !== '')));

        // Often an unset variable of the shell. Measuring the default instead would surprise the user.
        return $values !== [] && $names === []
            ? throw new InvalidOptionException("--{$option} is empty. Give a value, or leave the option out.")
            : $names;
    }
}
