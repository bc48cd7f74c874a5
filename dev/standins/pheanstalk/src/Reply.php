<?php

declare(strict_types=1);

namespace Pheanstalk;

use Pheanstalk\Exception\MalformedResponseException;
use Pheanstalk\Values\Job;
use Pheanstalk\Values\JobId;

/**
 * A response of the server: a word, optionally an argument, optionally data.
 */
final class Reply
{
    public function __construct(
        public readonly string $word,
        private readonly ?string $argument = null,
        public readonly string $data = '',
    ) {}

    public function argument(): string
    {
        return $this->argument ?? throw new MalformedResponseException("{$this->word} came without its argument.");
    }

    public function count(): int
    {
        return ctype_digit($this->argument())
            ? (int) $this->argument
            : throw new MalformedResponseException("{$this->word} {$this->argument} is not a number.");
    }

    public function job(): Job
    {
        return new Job(new JobId($this->argument()), $this->data);
    }
}
