<?php

declare(strict_types=1);

namespace Pheanstalk\Values;

use InvalidArgumentException;
use Pheanstalk\Contract\JobIdInterface;

final class JobId implements JobIdInterface
{
    private readonly string $id;

    public function __construct(int|string|JobIdInterface $id)
    {
        $this->id = $id instanceof JobIdInterface ? $id->getId() : (string) $id;

        if (! ctype_digit($this->id)) {
            throw new InvalidArgumentException("Invalid job id: {$this->id}. It must be a whole number of at least 0.");
        }
    }

    public function getId(): string
    {
        return $this->id;
    }
}
