<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\NumericOptions;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/**
 * The numbers above which spool:status ends with 1.
 *
 * @internal
 */
final readonly class StatusThresholds
{
    private function __construct(
        private ?int $pending,
        public ?int $age,
        private int $missing,
        private ?int $deadLetters,
    ) {}

    public static function define(Command $command): void
    {
        foreach ([
            'max-pending' => 'Exit with 1 if more than this many events are pending',
            'max-age' =>
                'Exit with 1 if the oldest pending event is older than this many seconds; by default, if events'
                    .' that should have been delivered are older than 300',
            'max-missing' => 'Exit with 1 if more than this many events are missing, a loss that you accept',
            'max-dead-letters' => 'Exit with 1 if there are more than this many dead letters',
        ] as $name => $description) {
            $command->addOption(
                $name,
                null,
                InputOption::VALUE_REQUIRED,
                $description,
                $name === 'max-missing' ? '0' : null,
            );
        }
    }

    public static function from(InputInterface $input): self
    {
        $numbers = new NumericOptions($input);

        return new self(
            $numbers->natural('max-pending'),
            $numbers->natural('max-age'),
            $numbers->natural('max-missing') ?? 0,
            $numbers->natural('max-dead-letters'),
        );
    }

    /** Also true for events that are there twice, which no threshold allows. */
    public function isLoss(int $missing): bool
    {
        return $missing < 0 || $missing > $this->missing;
    }

    /** @return list<string> a sentence for each threshold that is exceeded */
    public function exceeded(int $pending, ?float $oldestSeconds, ?int $deadLetters = null): array
    {
        return array_values(array_filter([
            $this->pending !== null && $pending > $this->pending
                ? TerminalText::count($pending, 'pending event').", more than --max-pending={$this->pending}."
                : null,
            $this->age !== null && $oldestSeconds > $this->age
                ? sprintf('The oldest pending event is %d s old, more than --max-age=%d.', $oldestSeconds, $this->age)
                : null,
            $this->deadLetters !== null && $deadLetters > $this->deadLetters
                ? TerminalText::count($deadLetters, 'dead letter')
                    .", more than --max-dead-letters={$this->deadLetters}."
                : null,
        ], is_string(...)));
    }
}
