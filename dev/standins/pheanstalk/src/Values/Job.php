<?php

declare(strict_types=1);

namespace Pheanstalk\Values;

use Pheanstalk\Contract\JobIdInterface;

final class Job implements JobIdInterface
{
    public function __construct(private readonly JobIdInterface $id, private readonly string $data) {}

    public function getId(): string
    {
        return $this->id->getId();
    }

    public function getData(): string
    {
        return $this->data;
    }
}
