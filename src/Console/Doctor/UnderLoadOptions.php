<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Load\InvalidPlan;
use Headroom\Load\Plan;
use Headroom\Load\Target;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/**
 * The options of the doctor for a diagnosis under load.
 *
 * @internal
 */
final readonly class UnderLoadOptions
{
    private const SECONDS = 20.0;

    /** The doctor promises a cause within two minutes. */
    private const MOST_SECONDS = 90.0;

    private const FEWEST = 50;

    private const MAX_USERS = 400;

    private function __construct(
        public ?Target $target,
        private ?int $users,
        public float $seconds,
        public float $timeout,
    ) {}

    public static function addTo(Command $command): void
    {
        $command->addOption(
            'url',
            null,
            InputOption::VALUE_REQUIRED,
            'Send requests to this address, and report where they wait',
        )
            ->addOption(
                'watch',
                null,
                InputOption::VALUE_OPTIONAL,
                'Report the same for the requests that arrive anyway, after this many seconds; 20 by default',
                false,
            )
            ->addOption(
                'concurrency',
                null,
                InputOption::VALUE_REQUIRED,
                'Concurrent requests; by default twice the processes of the pool, from '.self::FEWEST.' to '
                    .self::MAX_USERS,
            )
            ->addOption(
                'duration',
                null,
                InputOption::VALUE_REQUIRED,
                'Seconds for which requests are sent',
                (string) self::SECONDS,
            )
            ->addOption(
                'timeout',
                null,
                InputOption::VALUE_REQUIRED,
                'Seconds after which a request times out',
                (string) Plan::DEFAULT_TIMEOUT,
            )
            ->addOption(
                'allow-remote',
                null,
                InputOption::VALUE_NONE,
                'Send to a host that is not this machine, without a question',
            );
    }

    /** Null if the command line has neither --url nor --watch. */
    public static function of(InputInterface $input): ?self
    {
        $url = $input->getOption('url');
        $watch = $input->getOption('watch');

        if (is_string($url) && $watch !== false) {
            throw new InvalidOptionException(
                '--url sends requests, and --watch waits for those that arrive. Give only one of them.',
            );
        }

        if (is_string($url)) {
            return new self(
                self::target($url),
                $input->getOption('concurrency') === null
                    ? null
                    : (int) self::number($input, 'concurrency', 1, 10_000, true),
                self::number($input, 'duration', 2, self::MOST_SECONDS),
                self::number($input, 'timeout', 0.1, 60),
            );
        }

        return $watch === false
            ? null
            : new self(null, null, $watch === null ? self::SECONDS : self::number($input, 'watch', 2, 3_600), 0.0);
    }

    public function users(?int $processes): int
    {
        return $this->users ?? max(self::FEWEST, min(self::MAX_USERS, 2 * ($processes ?? 0)));
    }

    private static function target(string $url): Target
    {
        try {
            return Target::fromUrl($url);
        } catch (InvalidPlan $e) {
            throw new InvalidOptionException($e->getMessage());
        }
    }

    private static function number(
        InputInterface $input,
        string $option,
        float $least,
        float $most,
        bool $isWhole = false,
    ): float {
        $given = $input->getOption($option);
        $number = is_numeric($given) ? (float) $given : NAN;

        return $number >= $least && $number <= $most && (! $isWhole || floor($number) === $number)
            ? $number
            : throw new InvalidOptionException(
                "--{$option} is '".(is_string($given) ? $given : '')."'. It must be a ".($isWhole ? 'whole ' : '')
                    ."number from {$least} to {$most}.",
            );
    }
}
