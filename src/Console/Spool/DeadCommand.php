<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\NumericOptions;
use Headroom\Core\Position;
use Headroom\Spool\Bucket;
use Headroom\Spool\DeadLetters\DeadLetterQueue;
use Headroom\Spool\InvalidBucket;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:dead', description: 'Look at events that a sink refused; retry, export or forget them')]
final class DeadCommand extends SpoolCommand
{
    private const ACTIONS = ['list', 'show', 'retry', 'forget', 'export'];

    public function configure(): void
    {
        $this->addArgument('bucket', InputArgument::REQUIRED, 'Which bucket')
            ->addArgument('action', InputArgument::OPTIONAL, implode(', ', self::ACTIONS), 'list')
            ->addArgument('letters', InputArgument::IS_ARRAY, 'Which letters: places or ids, as the list shows them')
            ->addOption('all', null, InputOption::VALUE_NONE, 'Every letter of the bucket')
            ->addOption('limit', null, InputOption::VALUE_REQUIRED, 'List so many, the newest', '20')
            ->addJsonOption()
            ->setHelp('retry puts events into the log again, behind all that waits; each keeps its id. export prints all letters, or the named ones, one JSON object per line, and keeps them. forget removes them for good. Exit codes: 0 done, also where --all are none, 1 not done or no such letter, 2 wrong usage.');
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $bucket = $this->bucket($input->getArgument('bucket'));
        $action = $input->getArgument('action');
        $isJson = self::isJson($input);
        $print = new DeadLetterFormatter($output, $isJson);

        if (! is_string($action) || ! in_array($action, self::ACTIONS, true)) {
            throw new InvalidArgumentException('The action must be one of '.implode(', ', self::ACTIONS).'; seen: '.json_encode($action).'.');
        }

        $desk = $this->spool->view($bucket)->letters();

        $usage = $this->errors($input, $output);
        $chosen = $this->letters($desk, $bucket);
        $chosen = $action === 'list' ? $chosen : $this->chosen($chosen, $input, $action === 'export');

        if ($chosen === [] && $input->getArgument('letters') !== []) {
            return $usage->fail("{$bucket}: there is no such dead letter. An event that was retried has another place and the same id: name it by its id.");
        }

        if ($action === 'forget') {
            $print->done($bucket, $action, $chosen === [] ? 0 : $desk->forget(self::positions($chosen)));

            return self::SUCCESS;
        }

        $letters = array_values(array_filter($chosen, static fn (DeadLetter|CorruptDeadLetter $letter): bool => $letter instanceof DeadLetter));

        match ($action) {
            'list' => $print->list($bucket, $letters, (new NumericOptions($input))->positive('limit') ?? 20),
            'show' => $print->show($bucket, $letters),
            'export' => $print->export($letters),
            default => $print->done($bucket, $action, $letters === [] ? 0 : $desk->retry(self::positions($letters))),
        };

        foreach ($chosen as $letter) {
            if ($letter instanceof CorruptDeadLetter) {
                $usage->complain("{$bucket}: {$letter->reason}");
            }
        }

        return count($letters) === count($chosen) ? self::SUCCESS : self::FAILURE;
    }

    /**
     * Its letters outlive a bucket's declaration.
     *
     * @throws InvalidBucket
     */
    private function bucket(mixed $asked): string
    {
        $name = Bucket::validName(is_string($asked) ? $asked : '');

        return (new BucketArgument($this->spool))->known($name)[0] ?? $name;
    }

    /** @return list<DeadLetter|CorruptDeadLetter> */
    private function letters(DeadLetterQueue $desk, string $bucket): array
    {
        return $this->spool->isUntouched($bucket) ? [] : iterator_to_array($desk->letters(), false);
    }

    /**
     * @param list<DeadLetter|CorruptDeadLetter> $letters
     * @return list<DeadLetter|CorruptDeadLetter>
     */
    private function chosen(array $letters, InputInterface $input, bool $allUnlessNamed): array
    {
        $named = array_filter((array) $input->getArgument('letters'), is_string(...));

        if ($input->getOption('all') === true || ($named === [] && $allUnlessNamed)) {
            return $letters;
        }

        if ($named === []) {
            throw new InvalidArgumentException('Name the letters, by place or id, or say --all.');
        }

        return array_values(array_filter($letters, static fn (DeadLetter|CorruptDeadLetter $letter): bool => in_array($letter->position->toString(), $named, true) || ($letter instanceof DeadLetter && in_array($letter->id, $named, true))));
    }

    /**
     * @param list<DeadLetter|CorruptDeadLetter> $letters
     * @return list<Position>
     */
    private static function positions(array $letters): array
    {
        return array_map(static fn (DeadLetter|CorruptDeadLetter $letter): Position => $letter->position, $letters);
    }
}
